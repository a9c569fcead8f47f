# Signed and downloaded tables: nothing is imported unless the signature and the origin are as requested.
for tool in ssh-keygen curl; do
    command -v $tool >/dev/null || { echo "no $tool"; exit 77; }
done
exec 2>&1
export GPUTUNE_DRIVER=emu GPUTUNE_DB=here.db TMPDIR="$PWD/tmp"
mkdir tmp
here="file://$PWD"
import() { # OPTION...
    (PATH=${NOW:-$PATH} GPUTUNE_DB=there.db exec $GPUTUNE wisdom import "$@") 2>errors || echo "exit $?"
    sed "s|$PWD|HERE|g; s/SHA256:[^ ]*/SHA256:.../; s,HERE/tmp/[^ ]*,TMP," errors
    rm -f there.db*
}
$GPUTUNE warm axpy -q --only VEC=1,4 --only BLOCK=64 --only UNROLL=1 -s n=1000,2000 >/dev/null
for name in alice mallory; do
    ssh-keygen -q -t ed25519 -N '' -f $name
    echo "$name@example.com $(cut -d' ' -f1,2 $name.pub)" >$name.signers
done
$GPUTUNE wisdom export -o axpy.wisdom --sign alice
ls axpy.wisdom*
echo == signed tables, with and without --signed-by
import axpy.wisdom
import axpy.wisdom --signed-by alice.signers
import --from "$here/axpy.wisdom" --signed-by alice.signers
import axpy.wisdom --from "$here/axpy.wisdom"
echo == another signer, edited, truncated and missing signatures
import axpy.wisdom --signed-by mallory.signers
sed 's/VEC=1/VEC=4/' axpy.wisdom >edited.wisdom
cp axpy.wisdom.sig edited.wisdom.sig
import edited.wisdom --signed-by alice.signers
head -c 1000 axpy.wisdom >short.wisdom
cp axpy.wisdom.sig short.wisdom.sig
import --from "$here/short.wisdom" --signed-by alice.signers
cp axpy.wisdom bare.wisdom
import bare.wisdom --signed-by alice.signers
import axpy.wisdom --signed-by absent
ssh-keygen -q -Y sign -n file -f alice bare.wisdom
import bare.wisdom --signed-by alice.signers
echo "untrusted comment: minisign public key" >mini.pub
cp axpy.wisdom.sig axpy.wisdom.minisig
NOW=/nowhere import axpy.wisdom --signed-by mini.pub
echo == failed downloads
import --from "$here/absent.wisdom"
import --from "$here/short.wisdom"
import --from "$here/alice.pub"
import --from http://localhost/axpy.wisdom
NOW=/nowhere import --from "$here/axpy.wisdom"
mkdir bin
curl() { # EXIT MESSAGE
    printf '#!/bin/sh\necho "%s" >&2\nexit %s\n' "$2" "$1" >bin/curl
    chmod +x bin/curl
    NOW=$PWD/bin:$PATH import --from https://example.com/axpy.wisdom
}
curl 22 'curl: (22) The requested URL returned error: 404'
curl 60 'curl: (60) SSL certificate problem: self-signed certificate
More details here: https://curl.se/docs/sslcerts.html
how to fix it, please visit the web page mentioned above.'
curl 28 'curl: (28) Operation timed out after 10001 milliseconds'
curl 18 'curl: (18) transfer closed with 100 bytes remaining to read'
printf '#!/bin/sh\nwhile [ "$1" != --output ]; do shift; done\ntruncate -s 65M "$2"; sleep 9\n' >bin/curl
NOW=$PWD/bin:$PATH import --from https://example.com/axpy.wisdom
echo == mistakes
import axpy.wisdom --sign alice
$GPUTUNE wisdom export --sign alice || echo "exit $?"
ls tmp
