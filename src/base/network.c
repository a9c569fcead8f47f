/* The list of network file systems. */
#include "base/network.h"

#include <stddef.h>
#include <sys/statfs.h>

const char *gt_network_name(uint64_t type)
{
    static const struct {
        uint64_t type;
        const char *name;
    } networks[] = {{0x6969, "NFS"},        {0x517b, "SMB"},        {0xff534d42, "CIFS"},
                    {0xfe534d42, "SMB2"},   {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},
                    {0x19830326, "BeeGFS"}, {0x5346414f, "AFS"},    {0x00c36400, "Ceph"},
                    {0x01021997, "9P"},     {0x65735546, "FUSE"}};
    for (size_t i = 0; i < sizeof networks / sizeof *networks; i++) {
        if (networks[i].type == type) {
            return networks[i].name;
        }
    }
    return NULL;
}

const char *gt_network_of(const char *path)
{
    struct statfs facts;
    return statfs(path, &facts) == 0 ? gt_network_name((uint32_t)facts.f_type) : NULL;
}
