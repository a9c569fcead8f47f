/* Tables of winners that come from elsewhere: who has signed one, and where one is fetched from.
 * All cryptography and all protocols are those of installed programs: minisign or ssh-keygen, curl.
 */
#ifndef CLI_TABLES_H
#define CLI_TABLES_H

/* Fetches what an https: or file: URL names into the file `to`, by curl, within a minute. Returns
 * CLI_CONTINUE, or an exit code after saying what is wrong. */
int cli_table_fetch(const char *url, const char *to);

/* How the name of a table's signature ends, behind the table's own: ".minisig" where `key`, a file
 * of keys, is minisign's, else ".sig". NULL after a message: `key` is no such file. */
const char *cli_table_signature(const char *key);
/* Two files, and what the signature is called in messages. */
typedef struct cli_signed {
    const char *table, *signature, *name;
} cli_signed;
/* Whether the signature is the table's by one of `keys`: minisign's public key, or a file of
 * allowed signers (ssh-keygen(1)). *who: whose. Returns CLI_CONTINUE, or an exit code after saying
 * what is wrong. */
int cli_table_check(char **who, const cli_signed *what, const char *keys);
/* Signs a file with a secret key of minisign or ssh, which may ask for a pass phrase: writes
 * TABLE.minisig or TABLE.sig. Returns CLI_EXIT_OK, or an exit code after saying what is wrong. */
int cli_table_sign(const char *table, const char *key);

#endif
