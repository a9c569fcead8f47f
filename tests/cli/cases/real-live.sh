# the report is served on this machine to who knows its address, while it is asked for or tuned
export GPUTUNE_DB=$PWD/x.db
one="--driver emu -q --only BLOCK=64 --only UNROLL=1"
address() { # FILE: once it is told
    until grep -qs '^http' "$1"; do sleep 0.1; done
    sed -n 's|^\(http://127.0.0.1:[0-9]*/[0-9a-f]\{32\}/\)$|\1|p' "$1"
}
get() { # what of the answer: OPTIONS... URL
    curl -s -m 20 -o body -w '%{http_code} %{content_type}\n' "$@"
}
$GPUTUNE report --live -q >told 2>&1 &
server=$!
at=$(address told)
root=${at%/*/}
get "$at"
grep -o "default-src 'none'; connect-src 'self'" body
get "${at}data.json"
grep -o '"scenarios": \[' body
echo "while something is stored:"
$GPUTUNE warm axpy $one --size n=1000 >/dev/null
get "${at}data.json"
grep -o -m 1 '"kernel": "axpy", "sizes": "n=1000 T=float"' body | sort -u
echo "what is refused:"
for path in / /favicon.ico /0123456789abcdef0123456789abcdef/ "/${at##"$root"/}x" "/$(basename "$at")"; do
    get "$root$path"
done
get -X POST "$at"
get -H "x: $(head -c 9000 /dev/zero | tr '\0' x)" "$at"
python3 - "$at" <<'END'
import socket, sys
host, port = sys.argv[1].split("/")[2].split(":")
for request in b"nonsense\r\n\r\n", b"GET http://x/ HTTP/1.1\r\n\r\n":
    with socket.create_connection((host, int(port)), timeout=20) as client:
        client.sendall(request)
        print(client.recv(100).split(b"\r\n")[0].decode())
with socket.create_connection((host, int(port)), timeout=20) as client: # one that says nothing holds up nobody
    import urllib.request
    print(urllib.request.urlopen(sys.argv[1], timeout=20).status)
port = "%04X" % int(port)
print("listens on", {line.split()[1].split(":")[0] for line in open("/proc/net/tcp") if line.split()[1].endswith(":" + port)
                     and line.split()[3] == "0A"})
END
kill -INT $server
wait $server
echo "ended: $?"
get "$at"
echo "while it tunes:"
$GPUTUNE warm axpy --driver emu --only VEC=1,4 --only UNROLL=1 --live --size n=2000,4000,8000 >table 2>told-too &
tuning=$!
at=$(address told-too)
page() { # PAUSE FILE: asks as a page does, until the data are the last
    while curl -s -m 20 -o "$2" "${at}data.json" && grep -q '"live": true' "$2"; do sleep "$1"; done
}
page 2 second & # of several pages each gets the last data
second=$!
page 1.3 third &
third=$!
page 0.5 body
wait $second $third
cmp body second && cmp body third
grep -o '"live": false' body
grep -o '"kernel": "[a-z]*", "sizes": "n=[248]000 T=float"' body | sort -u # the last data have all
wait $tuning
echo "ended: $?"
get "$at"
$GPUTUNE report --live -o x.html
echo "exit $?"
