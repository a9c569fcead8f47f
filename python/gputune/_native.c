/* A faster replacement for _fast.py, without ctypes. It launches plans, and answers calls of tune()
 * that were made before. It is built for the stable ABI of CPython 3.10 or later.
 *
 * Behaves like _fast.py, which is used if this module was not built. If the fast path cannot
 * convert a value, the launch calls Plan._look(); for a new call, hit() returns None. The module
 * gets the addresses of the library's functions at run time, so it does not link the library. */
#define Py_LIMITED_API 0x030a0000
#include <Python.h>
#include <structmember.h>

#include "gputune.h"

#include <math.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { MOST_ARGUMENTS = 64, MOST_DEVICES = 64, LOOK = 1 };

static struct {
    int (*launch)(gputune_plan *plan, void *stream, gputune_args args);
    void (*release)(gputune_plan *plan);
    int (*tune)(gputune_plan **out, gputune *tuner, const char *kernel, gputune_sizes sizes,
                const gputune_options *options);
    int (*current_context)(void **out); /* a driver function; NULL if no driver is loaded */
    int (*current_device)(int *out);
} call;

static PyObject *type_name, *stream_reader; /* Python functions of _fast.py */
static PyObject *stream_type, *stream_read; /* cache: the last class of arrays, and its reader */
static PyObject *exchange_type;             /* class of arrays to which `exchange` belongs */
static const struct exchange *exchange;     /* NULL if the class has no exchange functions */
static PyObject *answers_of[MOST_DEVICES];
static struct {
    PyObject *dtype, *is_cuda, *is_contiguous, *is_neg, *data_ptr, *numel, *get_device, *look,
        *stream, *exchange;
} word;

/* ---- DLPack's exchange in C -------------------------------------------------------------------
 *
 * Since DLPack 1.3 (PyTorch 2.10), the class of an array may offer C functions: one describes an
 * array, another returns the current stream. The layouts are those of dlpack.h. */

enum { EXCHANGE_MAJOR = 1, ON_CUDA = 2 };

typedef struct element_type {
    uint8_t code, bits;
    uint16_t lanes;
} element_type;

typedef struct tensor {
    void *data;
    int32_t device_type, device, dimensions;
    element_type type;
    int64_t *shape, *strides; /* strides: in elements; NULL: the array is contiguous */
    uint64_t byte_offset;
} tensor;

typedef struct exchange {
    uint32_t major, minor;
    const void *older, *allocate, *from_object, *to_object;
    int (*describe)(void *object, tensor *out); /* may be NULL */
    int (*current_stream)(int device_type, int32_t device, void **out);
} exchange_api;

/* Returns a class's exchange functions. Returns NULL, perhaps with an exception, if it has none. */
static const exchange_api *exchange_offered(PyObject *type)
{
    PyObject *capsule = PyObject_GetAttr(type, word.exchange);
    const exchange_api *api = capsule ? PyCapsule_GetPointer(capsule, "dlpack_exchange_api") : NULL;
    Py_XDECREF(capsule);
    return api && api->major == EXCHANGE_MAJOR && api->describe && api->current_stream ? api : NULL;
}

/* Returns the exchange functions of a class, or NULL. Caches the result for the last class. */
static const exchange_api *exchange_of(PyObject *type)
{
    if (type != exchange_type) {
        exchange = exchange_offered(type);
        PyErr_Clear();
        Py_INCREF(type);
        Py_XDECREF(exchange_type);
        exchange_type = type;
    }
    return exchange;
}

/* Returns the number of elements, or 0 if they are not contiguous. */
static unsigned long long contiguous_elements(const tensor *array)
{
    int64_t count = 1;
    int in_order = 1;
    for (int32_t i = array->dimensions; i-- > 0;) {
        in_order &= !array->strides || array->shape[i] == 1 || array->strides[i] == count;
        count *= array->shape[i];
    }
    return in_order ? (unsigned long long)count : 0;
}

/* ---- a plan's launches ----------------------------------------------------------------------- */

typedef struct parameter {
    char code; /* a format character of struct.pack(); 'P': a buffer; '?': use the slow path */
    PyObject *type, *dtype; /* a buffer's element type: its name, and a dtype known to be equal */
    element_type exchanged; /* DLPack's type for this dtype; all 0 until it is known */
    int device;             /* the plan's, by its number */
    unsigned long long bytes, element_bytes;
} parameter;

typedef struct launcher {
    PyObject_HEAD gputune_plan *plan;
    unsigned inside; /* number of launches in progress; protected by Python's lock */
    Py_ssize_t count;
    parameter parameters[MOST_ARGUMENTS];
} launcher;

static PyObject *launcher_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)kwargs;
    PyObject *list, *pointer;
    int device;
    if (!PyArg_ParseTuple(args, "OO!i", &pointer, &PyList_Type, &list, &device)) {
        return NULL;
    }
    launcher *self = (launcher *)PyType_GenericAlloc(type, 0);
    if (!self) {
        return NULL;
    }
    self->count = PyList_Size(list);
    for (Py_ssize_t i = 0; i < self->count && i < MOST_ARGUMENTS; i++) {
        parameter *out = &self->parameters[i];
        int code;
        if (!PyArg_ParseTuple(PyList_GetItem(list, i), "COKK", &code, &out->type, &out->bytes,
                              &out->element_bytes)) {
            Py_DECREF(self);
            return NULL;
        }
        Py_INCREF(out->type);
        out->code = (char)code;
        out->device = device;
    }
    self->plan = PyLong_AsVoidPtr(pointer);
    return (PyObject *)self;
}

/* Waits for launches in progress and releases the plan. Lets other threads run during the wait,
 * because a launch may itself wait for a Python function on its stream. */
static void release_plan(launcher *self)
{
    gputune_plan *plan = self->plan;
    self->plan = NULL;
    while (self->inside) {
        Py_BEGIN_ALLOW_THREADS usleep(100);
        Py_END_ALLOW_THREADS
    }
    Py_BEGIN_ALLOW_THREADS call.release(plan);
    Py_END_ALLOW_THREADS
}

static void launcher_free(launcher *self)
{
    PyTypeObject *type = Py_TYPE(self);
    for (Py_ssize_t i = 0; i < self->count && i < MOST_ARGUMENTS; i++) {
        Py_XDECREF(self->parameters[i].type);
        Py_XDECREF(self->parameters[i].dtype);
    }
    release_plan(self);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* Releases the plan before its tuner is closed. Later launches fail. */
static PyObject *launcher_end(launcher *self, PyObject *unused)
{
    (void)unused;
    release_plan(self);
    Py_RETURN_NONE;
}

static PyObject *method(PyObject *object, PyObject *name)
{
    PyObject *bound = PyObject_GetAttr(object, name);
    PyObject *out = bound ? PyObject_CallNoArgs(bound) : NULL;
    Py_XDECREF(bound);
    return out;
}

/* Clears an exception, because the slow path will report the error. Returns false if the exception
 * must stay set, such as KeyboardInterrupt. */
static int forgive(void)
{
    if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception)) {
        return 0;
    }
    PyErr_Clear();
    return 1;
}

/* Returns a Python object's truth as 1 or 0, or -1 with an exception. Releases the object. */
static int truth(PyObject *object)
{
    int out = object ? PyObject_IsTrue(object) : -1;
    Py_XDECREF(object);
    return out;
}

static unsigned long long number(PyObject *object)
{
    unsigned long long out = object ? PyLong_AsUnsignedLongLong(object) : (unsigned long long)-1;
    Py_XDECREF(object);
    return out;
}

static int has_type(parameter *parameter, PyObject *value)
{
    PyObject *dtype = PyObject_GetAttr(value, word.dtype);
    if (!dtype || dtype == parameter->dtype) {
        Py_XDECREF(dtype);
        return dtype != NULL;
    }
    PyObject *name = PyObject_CallFunctionObjArgs(type_name, dtype, NULL);
    int same = name ? PyObject_RichCompareBool(name, parameter->type, Py_EQ) : -1;
    Py_XDECREF(name);
    if (same == 1) {
        Py_XDECREF(parameter->dtype);
        parameter->dtype = dtype;
        return 1;
    }
    Py_DECREF(dtype);
    return 0;
}

/* Returns true if the parameter accepts a buffer of `elements` elements at this address. Tensors
 * without data, such as the fake tensors of torch.compile, have the address 0. */
static int fits(const parameter *parameter, unsigned long long elements, uint64_t address)
{
    unsigned long long least = parameter->bytes / parameter->element_bytes;
    return elements >= least && (address || !least);
}

/* Converts an array through DLPack's exchange. Compares dtypes only if the array's DLPack type
 * differs from that of the last matching array. */
static int put_exchanged(uint64_t *out, parameter *parameter, PyObject *value,
                         const exchange_api *api)
{
    tensor array = {0};
    if (api->describe(value, &array) != 0 || array.device_type != ON_CUDA ||
        array.device != parameter->device) {
        return LOOK;
    }
    if (memcmp(&array.type, &parameter->exchanged, sizeof array.type) != 0) {
        if (!has_type(parameter, value)) {
            return LOOK;
        }
        parameter->exchanged = array.type;
    }
    *out = (uintptr_t)array.data + array.byte_offset;
    return fits(parameter, contiguous_elements(&array), *out) ? 0 : LOOK;
}

/* Returns true for a view that PyTorch negates lazily: its memory has the values with the opposite
 * sign, and DLPack's exchange does not report this. Also returns true with an exception. Arrays of
 * other frameworks have no is_neg(); the last such type is cached. */
static bool is_negative_view(PyObject *value)
{
    static PyObject *plain_type;
    PyObject *type = (PyObject *)Py_TYPE(value);
    if (type == plain_type) {
        return false;
    }
    int answer = truth(method(value, word.is_neg));
    if (answer < 0 && PyErr_ExceptionMatches(PyExc_AttributeError)) {
        Py_INCREF(type);
        Py_XDECREF(plain_type);
        plain_type = type;
        PyErr_Clear();
        return false;
    }
    return answer != 0;
}

static int put_tensor(uint64_t *out, parameter *parameter, PyObject *value)
{
    if (is_negative_view(value)) {
        return LOOK;
    }
    const exchange_api *api = exchange_of((PyObject *)Py_TYPE(value));
    if (api) {
        return put_exchanged(out, parameter, value, api);
    }
    if (!has_type(parameter, value) || truth(PyObject_GetAttr(value, word.is_cuda)) != 1 ||
        truth(method(value, word.is_contiguous)) != 1 ||
        number(method(value, word.get_device)) != (unsigned)parameter->device) {
        return LOOK;
    }
    unsigned long long elements = number(method(value, word.numel));
    if (PyErr_Occurred()) {
        return LOOK;
    }
    *out = number(method(value, word.data_ptr));
    return !PyErr_Occurred() && fits(parameter, elements, *out) ? 0 : LOOK;
}

static int put_float(uint64_t *out, char code, PyObject *value)
{
    double wide = PyFloat_CheckExact(value) ? PyFloat_AsDouble(value) : PyLong_AsDouble(value);
    float narrow = (float)wide;
    if (PyErr_Occurred() || (code == 'f' && isinf(narrow) && !isinf(wide))) {
        return LOOK;
    }
    memcpy(out, code == 'f' ? (void *)&narrow : (void *)&wide, code == 'f' ? 4 : 8);
    return 0;
}

static int put_integer(uint64_t *out, char code, PyObject *value)
{
    static const char letters[] = "bhiqBHIQ";
    int place = (int)(strchr(letters, code) - letters), bits = 8 << place % 4;
    if (place < 4) {
        long long given = PyLong_AsLongLong(value), limit = (long long)(1ULL << (bits - 1));
        *out = (uint64_t)given;
        return PyErr_Occurred() || (bits < 64 && (given < -limit || given >= limit)) ? LOOK : 0;
    }
    *out = PyLong_AsUnsignedLongLong(value);
    return PyErr_Occurred() || (bits < 64 && *out >> bits) ? LOOK : 0;
}

static int put(uint64_t *out, parameter *parameter, PyObject *value)
{
    int whole = PyLong_CheckExact(value);
    switch (parameter->code) {
    case '?':
        return LOOK;
    case 'P':
        if (!whole) {
            return put_tensor(out, parameter, value);
        }
        return put_integer(out, 'Q', value) == 0 && *out ? 0 : LOOK;
    case 'f':
    case 'd':
        return whole || PyFloat_CheckExact(value) ? put_float(out, parameter->code, value) : LOOK;
    default:
        return whole ? put_integer(out, parameter->code, value) : LOOK;
    }
}

/* Returns the function (borrowed) that gets a device's current stream for arrays of this type. */
static PyObject *reader_of(PyObject *type)
{
    if (type != stream_type) {
        PyObject *read = PyObject_CallFunctionObjArgs(stream_reader, type, NULL);
        if (!read) {
            return NULL;
        }
        Py_INCREF(type);
        Py_XDECREF(stream_type);
        Py_XDECREF(stream_read);
        stream_type = type, stream_read = read;
    }
    return stream_read;
}

/* Gets the current stream of the array's framework on its device; 0 if there is none. */
static int stream_of(uint64_t *out, PyObject *value)
{
    const exchange_api *api = exchange_of((PyObject *)Py_TYPE(value));
    tensor array = {0};
    void *stream = NULL;
    if (api) {
        int done = api->describe(value, &array) == 0 &&
                   api->current_stream(array.device_type, array.device, &stream) == 0;
        *out = (uintptr_t)stream;
        return done ? 0 : LOOK;
    }
    PyObject *read = reader_of((PyObject *)Py_TYPE(value));
    PyObject *device = read && read != Py_None ? method(value, word.get_device) : NULL;
    if (device) {
        *out = number(PyObject_CallFunctionObjArgs(read, device, NULL));
        Py_DECREF(device);
    }
    return PyErr_Occurred() ? LOOK : 0;
}

/* Gets the current stream of the first array's framework. */
static int current_stream(uint64_t *out, PyObject *values)
{
    *out = 0;
    for (Py_ssize_t i = 0; i < PyTuple_Size(values); i++) {
        PyObject *value = PyTuple_GetItem(values, i);
        if (PyLong_CheckExact(value) || PyFloat_CheckExact(value)) {
            continue;
        }
        return stream_of(out, value);
    }
    return 0;
}

/* Launches a plan. Returns a status, or LOOK without a launch if a value needs the slow path. */
static int launch(launcher *self, PyObject *values, PyObject *stream)
{
    uint64_t room[MOST_ARGUMENTS] = {0}, handle;
    const void *items[MOST_ARGUMENTS];
    if (self->count > MOST_ARGUMENTS || PyTuple_Size(values) != self->count) {
        return LOOK;
    }
    for (Py_ssize_t i = 0; i < self->count; i++) {
        items[i] = &room[i];
        if (put(&room[i], &self->parameters[i], PyTuple_GetItem(values, i)) != 0) {
            return LOOK;
        }
    }
    int given = stream != Py_None;
    if (given && !PyLong_CheckExact(stream)) {
        return LOOK;
    }
    if ((given ? put_integer(&handle, 'Q', stream) : current_stream(&handle, values)) != 0) {
        return LOOK;
    }
    int status;
    gputune_plan *plan = self->plan; /* other threads may change it without the lock */
    self->inside++;
    Py_BEGIN_ALLOW_THREADS status =
        call.launch(plan, (void *)(uintptr_t)handle, (gputune_args){(size_t)self->count, items});
    Py_END_ALLOW_THREADS self->inside--;
    return status;
}

/* ---- the base class of Plan ------------------------------------------------------------------ */

typedef struct launched {
    PyObject_HEAD PyObject *planned; /* a launcher, or None if closed */
} launched;

static PyTypeObject *launcher_type;

static PyObject *launched_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)kwargs;
    PyObject *planned;
    if (!PyArg_ParseTuple(args, "O!", launcher_type, &planned)) {
        return NULL;
    }
    launched *self = (launched *)PyType_GenericAlloc(type, 0);
    if (self) {
        Py_INCREF(planned);
        self->planned = planned;
    }
    return (PyObject *)self;
}

static void launched_free(launched *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(self->planned);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

static PyObject *stream_given(PyObject *kwargs)
{
    PyObject *stream = kwargs ? PyDict_GetItemWithError(kwargs, word.stream) : Py_None;
    if (kwargs && PyDict_Size(kwargs) != (stream != NULL)) {
        PyErr_SetString(PyExc_TypeError,
                        "a plan takes its arguments by position, and only stream= by name");
        return NULL;
    }
    return stream ? stream : Py_None;
}

static PyObject *launched_call(launched *self, PyObject *args, PyObject *kwargs)
{
    PyObject *stream = stream_given(kwargs), *status = Py_None;
    if (!stream) {
        return NULL;
    }
    PyObject *planned = self->planned;
    if (planned != Py_None) {
        Py_INCREF(planned); /* an array's methods or another thread may close the plan */
        int answer = launch((launcher *)planned, args, stream);
        Py_DECREF(planned);
        if (answer == 0) {
            Py_RETURN_NONE;
        }
        if (!forgive()) {
            return NULL;
        }
        if (answer != LOOK && !(status = PyLong_FromLong(answer))) {
            return NULL;
        }
    }
    PyObject *look = PyObject_GetAttr((PyObject *)self, word.look), *out = NULL;
    if (look) {
        out = PyObject_CallFunctionObjArgs(look, args, stream, status, NULL);
        Py_DECREF(look);
    }
    if (status != Py_None) {
        Py_DECREF(status);
    }
    return out;
}

/* ---- repeated calls of tune() ---------------------------------------------------------------- */

typedef struct answer {
    PyObject_HEAD PyObject *kept, *planned; /* kept: objects that own the pointers' memory */
    PyTypeObject *type;                     /* class of plans */
    gputune *tuner;
    const char *kernel;
    gputune_sizes sizes;
    const gputune_options *options;
} answer;

static PyTypeObject *answer_type;

static PyObject *answer_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)kwargs;
    PyObject *plans, *planned, *kept;
    unsigned long long tuner, kernel, count, items, options;
    if (!PyArg_ParseTuple(args, "OO!KKKKKO", &plans, launcher_type, &planned, &tuner, &kernel,
                          &count, &items, &options, &kept)) {
        return NULL;
    }
    answer *self = (answer *)PyType_GenericAlloc(type, 0);
    if (self) {
        Py_INCREF(plans);
        Py_INCREF(planned);
        Py_INCREF(kept);
        self->type = (PyTypeObject *)plans, self->planned = planned, self->kept = kept;
        self->tuner = (gputune *)(uintptr_t)tuner;
        self->kernel = (const char *)(uintptr_t)kernel;
        self->sizes = (gputune_sizes){count, (const gputune_size *)(uintptr_t)items};
        self->options = (const gputune_options *)(uintptr_t)options;
    }
    return (PyObject *)self;
}

static void answer_free(answer *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(self->kept);
    Py_XDECREF(self->planned);
    Py_XDECREF(self->type);
    ((freefunc)PyType_GetSlot(type, Py_tp_free))(self);
    Py_DECREF(type);
}

/* Calls tune_kernel() again. Returns NULL without an exception if the plan has changed. */
static PyObject *ask(answer *self)
{
    gputune_plan *plan = NULL;
    int is_same;
    Py_INCREF(self);
    Py_BEGIN_ALLOW_THREADS is_same =
        call.tune(&plan, self->tuner, self->kernel, self->sizes, self->options) == 0 &&
        plan == ((launcher *)self->planned)->plan;
    call.release(plan);
    Py_END_ALLOW_THREADS launched *out = NULL;
    if (is_same) {
        out = (launched *)PyType_GenericAlloc(self->type, 0);
    }
    if (out) {
        Py_INCREF(self->planned);
        out->planned = self->planned;
    }
    Py_DECREF(self);
    return (PyObject *)out;
}

/* The flat tuple that identifies a call of tune(). Floats and bools follow their type in the tuple,
 * because 1, 1.0 and True are equal. */
typedef struct key {
    PyObject *items[MOST_ARGUMENTS];
    Py_ssize_t count;
} key;

static int add(key *out, PyObject *item) /* takes ownership */
{
    if (!item || out->count == MOST_ARGUMENTS) {
        Py_XDECREF(item);
        return 0;
    }
    out->items[out->count++] = item;
    return 1;
}

static int add_items(key *out, PyObject *options);

/* Returns true if this is the class of a framework's dtypes: torch.dtype, or a class derived from
 * numpy.dtype, as that of other libraries' types is. */
static int is_of_dtypes(PyObject *type)
{
    PyObject *classes = PyObject_GetAttrString(type, "__mro__");
    int is = 0;
    for (Py_ssize_t i = 0; classes && !is && i < PyTuple_Size(classes); i++) {
        PyObject *name = PyObject_GetAttrString(PyTuple_GetItem(classes, i), "__name__");
        is = name && PyUnicode_CompareWithASCIIString(name, "dtype") == 0;
        Py_XDECREF(name);
    }
    Py_XDECREF(classes);
    return is;
}

static int add_value(key *out, PyObject *value)
{
    PyObject *type = (PyObject *)Py_TYPE(value);
    if (PyLong_CheckExact(value) || PyUnicode_CheckExact(value) || value == Py_None) {
        Py_INCREF(value);
        return add(out, value);
    }
    if (PyFloat_CheckExact(value) || PyBool_Check(value) || PyTuple_CheckExact(value) ||
        is_of_dtypes(type)) {
        Py_INCREF(type);
        Py_INCREF(value);
        return add(out, type) ? add(out, value) : (Py_DECREF(value), 0);
    }
    if (PyList_CheckExact(value)) {
        return add(out, PyList_AsTuple(value));
    }
    if (PyDict_CheckExact(value)) {
        Py_INCREF(type);
        return add(out, type) && add(out, PyLong_FromSsize_t(PyDict_Size(value))) &&
               add_items(out, value);
    }
    return 0;
}

static int add_items(key *out, PyObject *options)
{
    PyObject *name, *value;
    Py_ssize_t at = 0;
    while (PyDict_Next(options, &at, &name, &value)) {
        Py_INCREF(name);
        if (!add(out, name) || !add_value(out, value)) {
            return 0;
        }
    }
    return 1;
}

/* Returns the key of a call, or NULL if the call has no key. An exception may then be set. */
static PyObject *make_key(PyObject *kernel, PyObject *options)
{
    key key = {.count = 0};
    PyObject *out = NULL;
    if (PyUnicode_CheckExact(kernel) && PyDict_CheckExact(options)) {
        Py_INCREF(kernel);
        if (add(&key, kernel) && add_items(&key, options)) {
            out = PyTuple_New(key.count);
        }
    }
    for (Py_ssize_t i = 0; i < key.count; i++) {
        if (!out || PyTuple_SetItem(out, i, key.items[i]) != 0) {
            Py_DECREF(key.items[i]);
        }
    }
    return out;
}

static PyObject *none(void)
{
    if (!forgive()) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Returns the stored answer to a call, or None. */
static PyObject *look_up(PyObject *answers, PyObject *kernel, PyObject *options)
{
    PyObject *wanted = make_key(kernel, options), *out = NULL;
    PyObject *found = wanted ? PyDict_GetItemWithError(answers, wanted) : NULL;
    if (found && Py_TYPE(found) == answer_type) {
        out = ask((answer *)found);
    }
    Py_XDECREF(wanted);
    return out ? out : none();
}

static PyObject *native_key(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *kernel, *options;
    if (!PyArg_ParseTuple(args, "OO!", &kernel, &PyDict_Type, &options)) {
        return NULL;
    }
    PyObject *out = make_key(kernel, options);
    return out ? out : none();
}

static PyObject *native_hit(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    if (count != 3 || !PyDict_Check(args[0])) {
        PyErr_SetString(PyExc_TypeError, "hit() takes answers, a kernel and options");
        return NULL;
    }
    return look_up(args[0], args[1], args[2]);
}

static PyObject *native_hit_here(PyObject *module, PyObject *const *args, Py_ssize_t count)
{
    (void)module;
    void *context = NULL;
    int device = 0;
    if (count != 2) {
        PyErr_SetString(PyExc_TypeError, "hit_here() takes a kernel and options");
        return NULL;
    }
    if (!call.current_context || call.current_context(&context) != 0 ||
        (context && call.current_device(&device) != 0) || device < 0 || device >= MOST_DEVICES ||
        !answers_of[device]) {
        Py_RETURN_NONE;
    }
    return look_up(answers_of[device], args[0], args[1]);
}

/* ---- the module --------------------------------------------------------------------------------
 */

static PyObject *native_bind(PyObject *module, PyObject *args)
{
    (void)module;
    unsigned long long launch_at, release_at, tune_at;
    if (!PyArg_ParseTuple(args, "KKKOO", &launch_at, &release_at, &tune_at, &type_name,
                          &stream_reader)) {
        return NULL;
    }
    Py_INCREF(type_name);
    Py_INCREF(stream_reader);
    memcpy(&call.launch, &(uintptr_t){launch_at}, sizeof call.launch);
    memcpy(&call.release, &(uintptr_t){release_at}, sizeof call.release);
    memcpy(&call.tune, &(uintptr_t){tune_at}, sizeof call.tune);
    Py_RETURN_NONE;
}

static PyObject *native_keep_answers(PyObject *module, PyObject *args)
{
    (void)module;
    unsigned long long context_at, device_at;
    unsigned device;
    PyObject *answers;
    if (!PyArg_ParseTuple(args, "IO!KK", &device, &PyDict_Type, &answers, &context_at,
                          &device_at)) {
        return NULL;
    }
    if (device < MOST_DEVICES) {
        Py_INCREF(answers);
        Py_XDECREF(answers_of[device]);
        answers_of[device] = answers;
        memcpy(&call.current_context, &(uintptr_t){context_at}, sizeof call.current_context);
        memcpy(&call.current_device, &(uintptr_t){device_at}, sizeof call.current_device);
    }
    Py_RETURN_NONE;
}

static PyObject *native_forget(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    for (int i = 0; i < MOST_DEVICES; i++) {
        Py_CLEAR(answers_of[i]);
    }
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"bind", native_bind, METH_VARARGS, NULL},
    {"key", native_key, METH_VARARGS, NULL},
    {"hit", (PyCFunction)(void (*)(void))native_hit, METH_FASTCALL, NULL},
    {"hit_here", (PyCFunction)(void (*)(void))native_hit_here, METH_FASTCALL, NULL},
    {"keep_answers", native_keep_answers, METH_VARARGS, NULL},
    {"forget", native_forget, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL}};

static PyMemberDef members[] = {{"_planned", T_OBJECT, offsetof(launched, planned), 0, NULL},
                                {NULL, 0, 0, 0, NULL}};

static PyMethodDef launcher_methods[] = {
    {"end", (PyCFunction)(void (*)(void))launcher_end, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL}};

static PyType_Slot launcher_slots[] = {{Py_tp_new, (void *)launcher_new},
                                       {Py_tp_dealloc, (void *)launcher_free},
                                       {Py_tp_methods, launcher_methods},
                                       {0, NULL}};
static PyType_Slot launched_slots[] = {{Py_tp_new, (void *)launched_new},
                                       {Py_tp_dealloc, (void *)launched_free},
                                       {Py_tp_call, (void *)launched_call},
                                       {Py_tp_members, members},
                                       {0, NULL}};
static PyType_Slot answer_slots[] = {
    {Py_tp_new, (void *)answer_new}, {Py_tp_dealloc, (void *)answer_free}, {0, NULL}};

static PyTypeObject *add_type(PyObject *module, const char *name, size_t bytes, PyType_Slot *slots)
{
    PyType_Spec spec = {name, (int)bytes, 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
    PyObject *type = PyType_FromSpec(&spec);
    if (!type || PyModule_AddObjectRef(module, strrchr(name, '.') + 1, type) != 0) {
        Py_XDECREF(type);
        return NULL;
    }
    return (PyTypeObject *)type;
}

static struct PyModuleDef definition = {.m_base = PyModuleDef_HEAD_INIT,
                                        .m_name = "gputune._native",
                                        .m_size = -1,
                                        .m_methods = functions};

PyMODINIT_FUNC PyInit__native(void)
{
    static const struct {
        PyObject **at;
        const char *text;
    } words[] = {{&word.dtype, "dtype"},
                 {&word.is_cuda, "is_cuda"},
                 {&word.is_contiguous, "is_contiguous"},
                 {&word.is_neg, "is_neg"},
                 {&word.data_ptr, "data_ptr"},
                 {&word.numel, "numel"},
                 {&word.get_device, "get_device"},
                 {&word.look, "_look"},
                 {&word.stream, "stream"},
                 {&word.exchange, "__dlpack_c_exchange_api__"}};
    PyObject *module = PyModule_Create(&definition);
    for (size_t i = 0; module && i < sizeof words / sizeof *words; i++) {
        *words[i].at = PyUnicode_InternFromString(words[i].text);
    }
    if (!module || PyErr_Occurred() ||
        !(launcher_type =
              add_type(module, "gputune._native.Launcher", sizeof(launcher), launcher_slots)) ||
        !add_type(module, "gputune._native.Launched", sizeof(launched), launched_slots) ||
        !(answer_type = add_type(module, "gputune._native.Answer", sizeof(answer), answer_slots))) {
        Py_XDECREF(module);
        return NULL;
    }
    return module;
}
