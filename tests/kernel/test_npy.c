/* Tests reading NPY files: accepted types and shapes, and refused files. */
#include "kernel/text/npy.h"
#include "support/test.h"

static gputune_status read_file(gt_npy *out, int version, const char *header, size_t data)
{
    char bytes[1024] = "\x93NUMPY";
    size_t length = strlen(header), begin = version == 1 ? 10 : 12;
    bytes[6] = (char)version;
    bytes[8] = (char)length;
    memcpy(bytes + begin, header, length);
    return gt_npy_read(out, bytes, begin + length + data, "a.npy");
}

TEST(every_version_and_type_is_read)
{
    static const struct {
        const char *header;
        gt_type type;
        uint32_t dimensions;
        uint64_t elements, bytes;
    } cases[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }   \n", GT_TYPE_F32, 2, 12,
         48},
        {"{'descr': '<i8', 'fortran_order': False, 'shape': (5,), }\n", GT_TYPE_I64, 1, 5, 40},
        {"{'descr': '|u1', 'fortran_order': False, 'shape': (), }\n", GT_TYPE_U8, 0, 1, 1},
        {"{'shape':(2,3,4),'fortran_order':False,'descr':'<f2'}", GT_TYPE_F16, 3, 24, 48},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (0,), }\n", GT_TYPE_F64, 1, 0, 0},
        {"{\"descr\": \"<f4\",\t\"fortran_order\": False, \"shape\": ( 2 , 3 ) }", GT_TYPE_F32, 2,
         6, 24},
    };
    for (int version = 1; version <= 3; version++) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            gt_npy npy;
            ASSERT_OK(read_file(&npy, version, cases[i].header, cases[i].bytes));
            assert_int_equal(npy.type, cases[i].type);
            assert_int_equal(npy.dimensions, cases[i].dimensions);
            assert_int_equal(npy.elements, cases[i].elements);
            assert_int_equal(npy.bytes, cases[i].bytes);
            assert_int_equal(npy.data, (version == 1 ? 10 : 12) + strlen(cases[i].header));
        }
    }
}

TEST(npy_refuses_unsupported_files)
{
    static const struct {
        int version;
        const char *header;
        size_t data;
        const char *message;
    } cases[] = {
        {1, "{'descr': '>f4', 'fortran_order': False, 'shape': (3,), }", 12, "astype('<f4')"},
        {1, "{'descr': '<c8', 'fortran_order': False, 'shape': (3,), }", 24, "'<c8'"},
        {1, "{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (3,), }", 12,
         "no number type"},
        {1, "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 4), }", 48, "column order"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }", 47, "47 bytes"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4, }", 48, "no shape"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", 48,
         "no shape"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,), }", 0,
         "0 bytes"},
        {1, "{'descr': '<f4', 'fortran_order': False}", 0, "no shape"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': 3, }", 12, "no shape"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': [3], }", 12, "no shape"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }", 12, "no shape"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (3 4), }", 48, "no shape"},
        {1,
         "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
         "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1), }",
         4, "no shape"},
        {1, "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 2), }", 0,
         "no shape"},
        {1, "{'descr': <f4, 'fortran_order': False, 'shape': (3,), }", 12, "no number type"},
        {1, "{'descr': '<f4, 'fortran_order': False}", 12, "'<f4, '"},
        {1, "{'descr': '<f4 and very many characters more', 'fortran_order': False}", 12,
         "no number type"},
        {1, "{'fortran_order': False, 'shape': (3,), }", 12, "no number type"},
        {1, "{'descr': '<f4', 'shape': (3,), }", 12, "column order"},
        {1, "{\"descr\": \"<f4\", \"fortran_order\": True, \"shape\": (3,), }", 12, "column order"},
        {0, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 12, "version"},
        {4, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", 12, "version"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        gt_npy npy;
        ASSERT_FAILS(read_file(&npy, cases[i].version, cases[i].header, cases[i].data),
                     GPUTUNE_EINVAL, "a.npy: ");
        if (!strstr(gt_message(), cases[i].message)) {
            fail_msg("%s: %s", cases[i].header, gt_message());
        }
    }
}

TEST(a_file_may_be_cut_off_anywhere)
{
    static const char file[] = "\x93NUMPY\x01\x00\x3b\x00{'descr': '<f4', 'fortran_order': False, "
                               "'shape': (3,), }\n  \n";
    gt_npy npy;
    for (size_t i = 0; i < sizeof file - 1; i++) {
        assert_int_equal(gt_npy_read(&npy, file, i, "a.npy"), GPUTUNE_EINVAL);
    }
}
