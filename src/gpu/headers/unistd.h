#pragma once
/* What headers of the host ask it for; its functions are the host's alone. */
#define _POSIX_VERSION 200809L
