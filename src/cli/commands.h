/* The commands. Each gets its arguments with its own name as argv[0] and returns the program's exit
 * code; what it prints on stdout is data, everything else goes to stderr. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

int cmd_warm(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_kernels(int argc, char **argv);
int cmd_space(int argc, char **argv);
int cmd_emit(int argc, char **argv);
int cmd_embed(int argc, char **argv);
int cmd_template(int argc, char **argv);
int cmd_devices(int argc, char **argv);
int cmd_doctor(int argc, char **argv);
int cmd_forget(int argc, char **argv);
int cmd_prune(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_wisdom(int argc, char **argv);
int cmd_export(int argc, char **argv);
int cmd_report(int argc, char **argv);

#endif
