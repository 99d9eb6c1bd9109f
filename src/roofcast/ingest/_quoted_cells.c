/* Blocks of an ncu CSV whose cells are all quoted, as Nsight Compute prints them.
 *
 * Optional: without a compiler at installation the readers in Python do the same (see ncu_compiled.py). These
 * functions take only what they are certain of and return None for everything else: noise between the lines, line
 * ends in names, unquoted cells, doubled quotes in a cell that is wanted. So they hold no second opinion on what a
 * damaged file means; ncu_rows.parse_slowly alone decides that.
 *
 * Two things make it quick. Lines of one launch begin with the same bytes, and metrics follow each other in the same
 * order in every launch: both are compared at once rather than cell by cell. And a number is read where it stands.
 */
#define PY_SSIZE_T_CLEAN
#ifndef Py_LIMITED_API
#define Py_LIMITED_API 0x030b0000
#endif
#include <Python.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ABSENT, QUOTED, ESCAPED, EMPTY };                                     /* what stands in a cell */
enum { PLAIN, DECIMAL_POINT, DECIMAL_COMMA, EITHER_POINT, EITHER_COMMA, ODD }; /* numbers.Kind; ODD: not read here */

#define MAX_COLUMNS 256 /* of a long CSV, up to the last one that is wanted */
#define MAX_LISTED 16   /* columns that name a launch, or a metric */
#define MAX_CELL 65536  /* csv readers have a limit too; longer cells are left to them */
#define MAX_EXACT 9007199254740992u /* 2**53: integers up to here are exact doubles */

typedef struct {
    const char *at;
    Py_ssize_t len;
    int state;
} Cell;

/* A vector of anything. */
typedef struct {
    char *data;
    size_t count, room, size;
} List;

static void *push(List *list)
{
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 64;
        char *data = realloc(list->data, room * list->size);
        if (!data)
            return NULL;
        list->data = data;
        list->room = room;
    }
    return list->data + list->count++ * list->size;
}

static int same(const Cell *a, const Cell *b)
{
    return a->len == b->len && memcmp(a->at, b->at, (size_t)a->len) == 0;
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int is_count(const Cell *cell)
{
    for (Py_ssize_t i = 0; i < cell->len; i++)
        if (!is_digit(cell->at[i]))
            return 0;
    return cell->len > 0;
}

/* The end of the text of a line, and where the next one starts; NULL where another carriage return than that of
 * a line end of Windows is in it, which would be a line end by itself. */
static const char *line_end(const char *line, const char *stop, const char **next)
{
    const char *end = memchr(line, '\n', (size_t)(stop - line));
    *next = end ? end + 1 : stop;
    end = end ? end : stop;
    const char *back = memchr(line, '\r', (size_t)(end - line));
    return !back ? end : back == end - 1 && end < stop ? back : NULL;
}

/* The cell at p; returns the byte behind it (the mark, or the end of the line), NULL where it is not a plain one. */
static const char *next_cell(const char *p, const char *end, char mark, Cell *cell)
{
    cell->at = p;
    cell->len = 0;
    cell->state = EMPTY;
    if (p == end || *p == mark)
        return p;
    if (*p != '"')
        return NULL;
    cell->at = ++p;
    cell->state = QUOTED;
    for (;;) {
        const char *quote = memchr(p, '"', (size_t)(end - p));
        if (!quote)
            return NULL;
        p = quote + 1;
        if (p == end || *p == mark) {
            cell->len = quote - cell->at;
            return cell->len <= MAX_CELL ? p : NULL;
        }
        if (*p++ != '"')
            return NULL;
        cell->state = ESCAPED;
    }
}

static const double POWERS[] = {1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16};

/* The number at p, up to the first byte that is none of it. Only what has one rounding: at most 2**53 over a power of
 * ten that is exact. Commas must group by three. */
static const char *read_number(const char *p, const char *end, double *value, uint8_t *kind)
{
    const char *start = p;
    uint64_t digits = 0;
    int count = 0, commas = 0, group = 0, whole, rest;
    *kind = ODD;
    for (; p < end; p++) {
        if (is_digit(*p)) {
            digits = 10 * digits + (uint64_t)(*p - '0');
            group++;
            if (++count > 18)
                return p;
        } else if (*p == ',' && group && (commas ? group == 3 : group <= 3)) {
            commas++;
            group = 0;
        } else
            break;
    }
    if (!count || (commas && group != 3))
        return p;
    whole = count;
    if (p < end && *p == '.') {
        for (p++; p < end && is_digit(*p); p++) {
            digits = 10 * digits + (uint64_t)(*p - '0');
            if (++count > 18)
                return p;
        }
        rest = count - whole;
        if (rest > 16)
            return p;
        *kind = !commas && rest == 3 && whole <= 3 && *start != '0' ? EITHER_POINT : DECIMAL_POINT;
    } else {
        rest = 0;
        if (commas == 1 && *start == '0')
            return p;
        *kind = !commas ? PLAIN : commas == 1 ? EITHER_COMMA : DECIMAL_POINT;
    }
    if (digits > MAX_EXACT) {
        *kind = ODD;
        return p;
    }
    /* What may be a decimal comma is kept so: numbers.parse_number. */
    *value = (double)digits / POWERS[*kind == EITHER_COMMA ? 3 : rest];
    return p;
}

/* Numbers of a block, and the texts among them, each distinct one (of its metric, in a row) once. */
typedef struct {
    PyObject *value_bytes, *kind_bytes;
    double *values; /* their memory */
    uint8_t *kinds;
    Py_ssize_t count, room;
    List odd_at, odd_of, texts; /* int64_t, int32_t, Cell */
    size_t max_texts;
} Numbers;

/* An array of `count` items of some size, to be written to through *memory. */
static PyObject *array_of(Py_ssize_t count, size_t size, void **memory)
{
    PyObject *bytes = PyByteArray_FromStringAndSize(NULL, count * (Py_ssize_t)size);
    *memory = bytes ? PyByteArray_AsString(bytes) : NULL;
    return bytes;
}

static int start_numbers(Numbers *n, Py_ssize_t room)
{
    void *values, *kinds;
    n->room = room;
    n->max_texts = 4096 + (size_t)room / 16; /* more of them are better read together: numbers.parse_series */
    n->odd_at.size = sizeof(int64_t);
    n->odd_of.size = sizeof(int32_t);
    n->texts.size = sizeof(Cell);
    n->value_bytes = array_of(room, sizeof *n->values, &values);
    n->kind_bytes = array_of(room, sizeof *n->kinds, &kinds);
    n->values = values;
    n->kinds = kinds;
    return n->value_bytes && n->kind_bytes;
}

static void end_numbers(Numbers *n)
{
    Py_CLEAR(n->value_bytes);
    Py_CLEAR(n->kind_bytes);
    free(n->odd_at.data), free(n->odd_of.data), free(n->texts.data);
}

/* Take the next value, of which `last` is the last odd text of the same metric (-1: none). */
static int take(Numbers *n, const Cell *cell, int is_text, int32_t *last)
{
    if (n->count >= n->room)
        return 0;
    double *value = n->values + n->count;
    uint8_t *kind = n->kinds + n->count;
    const char *stop = cell->at + cell->len;
    *value = NAN;
    *kind = PLAIN;
    if (cell->len && (is_text || read_number(cell->at, stop, value, kind) != stop || *kind == ODD)) {
        *kind = PLAIN;
        if (*last < 0 || !same((Cell *)n->texts.data + *last, cell)) {
            Cell *text = n->texts.count < n->max_texts ? push(&n->texts) : NULL;
            if (!text)
                return 0;
            *text = *cell;
            *last = (int32_t)(n->texts.count - 1);
        }
        int64_t *at = push(&n->odd_at);
        int32_t *of = push(&n->odd_of);
        if (!at || !of)
            return 0;
        *at = n->count;
        *of = *last;
    }
    n->count++;
    return 1;
}

/* Columns of a list; -1 with an exception set where there are too many, or not below `below`. */
static int columns_of(PyObject *tuple, int *into, int most, Py_ssize_t below)
{
    Py_ssize_t count = PyTuple_Size(tuple);
    if (count < 0)
        return -1;
    if (count > most) {
        PyErr_SetString(PyExc_ValueError, "too many columns");
        return -1;
    }
    for (Py_ssize_t i = 0; i < count; i++) {
        long column = PyLong_AsLong(PyTuple_GetItem(tuple, i));
        if (column < 0 || column >= below) {
            if (!PyErr_Occurred())
                PyErr_SetString(PyExc_ValueError, "a column outside of the line");
            return -1;
        }
        into[i] = (int)column;
    }
    return (int)count;
}

/* Lists of tuples of strings from `count` x `width` cells; equal cells one below the other share a string. */
static PyObject *rows_of(const Cell *cells, size_t count, int width)
{
    PyObject *rows = PyList_New((Py_ssize_t)count), *before = NULL;
    for (size_t r = 0; rows && r < count; r++) {
        PyObject *row = PyTuple_New(width);
        for (int i = 0; row && i < width; i++) {
            const Cell *cell = cells + r * (size_t)width + i;
            PyObject *text;
            if (before && same(cell, cell - width)) {
                text = PyTuple_GetItem(before, i);
                Py_XINCREF(text);
            } else
                text = PyUnicode_DecodeUTF8(cell->at, cell->len, "replace");
            if (!text)
                Py_CLEAR(row);
            else if (PyTuple_SetItem(row, i, text) < 0)
                Py_CLEAR(row);
        }
        if (!row || PyList_SetItem(rows, (Py_ssize_t)r, row) < 0)
            Py_CLEAR(rows);
        before = row;
    }
    return rows;
}

static PyObject *texts_of(const List *cells)
{
    PyObject *texts = PyList_New((Py_ssize_t)cells->count);
    for (size_t i = 0; texts && i < cells->count; i++) {
        const Cell *cell = (Cell *)cells->data + i;
        PyObject *text = PyUnicode_DecodeUTF8(cell->at, cell->len, "replace");
        if (!text || PyList_SetItem(texts, (Py_ssize_t)i, text) < 0)
            Py_CLEAR(texts);
    }
    return texts;
}

static PyObject *bytes_of(const List *list)
{
    return PyByteArray_FromStringAndSize(list->data ? list->data : "", (Py_ssize_t)(list->count * list->size));
}

/* (values, kinds, positions of odd texts, which of the texts each is, texts); NULL with an exception set. */
static PyObject *result_of(Numbers *n)
{
    PyObject *at = NULL, *of = NULL, *texts = NULL, *result = NULL;
    if (PyByteArray_Resize(n->value_bytes, n->count * (Py_ssize_t)sizeof *n->values) == 0
        && PyByteArray_Resize(n->kind_bytes, n->count) == 0 && (at = bytes_of(&n->odd_at)) && (of = bytes_of(&n->odd_of))
        && (texts = texts_of(&n->texts)))
        result = PyTuple_Pack(5, n->value_bytes, n->kind_bytes, at, of, texts);
    Py_XDECREF(at), Py_XDECREF(of), Py_XDECREF(texts);
    return result;
}

static Py_ssize_t count_lines(const char *p, const char *stop)
{
    Py_ssize_t lines = 0;
    while (p < stop) {
        p = memchr(p, '\n', (size_t)(stop - p));
        lines++;
        if (!p)
            break;
        p++;
    }
    return lines;
}

/* ---- A line per metric -------------------------------------------------------------------------------------- */

typedef struct {
    Cell parts[3];
    const char *span; /* the bytes of its cells up to the value, in the last line that held it */
    Py_ssize_t span_len;
    uint64_t hash;
    int32_t follower; /* the metric that came behind it last time */
    int32_t odd;
    int is_text;
} Entry;

typedef struct {
    char mark;
    int anchor, kernel, metric, value;
    int identity[MAX_LISTED], key[MAX_LISTED], parts[3];
    int identities, keys, part_count;
    Cell text_name;
    Numbers numbers;
    int32_t *launch_of, *metric_of;
    List launches; /* Cell, identities of them each */
    List entries;
    int32_t *table; /* open addressing: position in entries, -1 where free */
    size_t table_size;
} Long;

static int32_t find_metric(Long *s, const Cell *cells)
{
    uint64_t hash = 1469598103934665603u;
    for (int k = 0; k < s->part_count; k++) {
        const Cell *cell = cells + s->parts[k];
        for (Py_ssize_t i = 0; i < cell->len; i++)
            hash = (hash ^ (unsigned char)cell->at[i]) * 1099511628211u;
        hash = (hash ^ 256) * 1099511628211u;
    }
    if (2 * s->entries.count >= s->table_size) {
        size_t size = s->table_size ? 2 * s->table_size : 1024;
        int32_t *table = malloc(size * sizeof *table);
        if (!table)
            return -1;
        memset(table, 0xff, size * sizeof *table);
        for (size_t e = 0; e < s->entries.count; e++) {
            size_t slot = ((Entry *)s->entries.data)[e].hash & (size - 1);
            while (table[slot] >= 0)
                slot = (slot + 1) & (size - 1);
            table[slot] = (int32_t)e;
        }
        free(s->table);
        s->table = table;
        s->table_size = size;
    }
    size_t slot = hash & (s->table_size - 1);
    for (; s->table[slot] >= 0; slot = (slot + 1) & (s->table_size - 1)) {
        Entry *entry = (Entry *)s->entries.data + s->table[slot];
        int equal = entry->hash == hash;
        for (int k = 0; equal && k < s->part_count; k++)
            equal = same(entry->parts + k, cells + s->parts[k]);
        if (equal)
            return s->table[slot];
    }
    Entry *entry = push(&s->entries);
    if (!entry)
        return -1;
    memset(entry, 0, sizeof *entry);
    for (int k = 0; k < s->part_count; k++)
        entry->parts[k] = cells[s->parts[k]];
    entry->hash = hash;
    entry->follower = entry->odd = -1;
    entry->is_text = same(cells + s->metric, &s->text_name);
    return s->table[slot] = (int32_t)(s->entries.count - 1);
}

/* The launch that the line's cells name: a new one where its key differs from that of the line before. */
static int place(Long *s, const Cell *cells, Cell *key)
{
    if ((s->anchor >= 0 && !is_count(cells + s->anchor)) || !cells[s->kernel].len)
        return 0;
    for (int k = 0; k < s->identities; k++)
        if (cells[s->identity[k]].state != QUOTED)
            return 0;
    int known = s->launches.count > 0;
    for (int k = 0; known && k < s->keys; k++)
        known = same(key + k, cells + s->key[k]);
    if (known)
        return 1;
    for (int k = 0; k < s->keys; k++)
        key[k] = cells[s->key[k]];
    for (int k = 0; k < s->identities; k++) {
        Cell *cell = push(&s->launches);
        if (!cell)
            return 0;
        *cell = cells[s->identity[k]];
    }
    return 1;
}

/* All lines; 0 where one of them is left to others. */
static int scan_long(Long *s, const char *block, const char *stop)
{
    Cell cells[MAX_COLUMNS], key[MAX_LISTED];
    const char *prefix = NULL, *line, *end, *next;
    Py_ssize_t prefix_len = 0;
    int32_t last = -1;
    int first = s->value, needed = s->value, sorted = 1;
    for (int k = 0; k < s->part_count; k++) {
        first = s->parts[k] < first ? s->parts[k] : first;
        needed = s->parts[k] > needed ? s->parts[k] : needed;
    }
    for (int k = 0; k < s->identities; k++) {
        sorted &= s->identity[k] < first;
        needed = s->identity[k] > needed ? s->identity[k] : needed;
    }
    sorted &= needed == s->value && first < s->value;
    for (line = block; line < stop; line = next) {
        const char *p = line, *first_at = NULL, *value_at = NULL;
        int column = 0, begins_same = 0;
        int32_t code = -1;
        Entry *entry;
        end = line_end(line, stop, &next);
        if (!end || end - line < 2 || line[0] != '"' || !is_digit(line[1]))
            return 0;
        if (prefix && end - line > prefix_len && memcmp(line, prefix, (size_t)prefix_len) == 0) {
            begins_same = 1;
            p = first_at = line + prefix_len;
            column = first;
            if (last >= 0 && ((Entry *)s->entries.data)[last].follower >= 0) {
                int32_t expected = ((Entry *)s->entries.data)[last].follower;
                entry = (Entry *)s->entries.data + expected;
                if (end - p >= entry->span_len && memcmp(p, entry->span, (size_t)entry->span_len) == 0) {
                    code = expected;
                    p += entry->span_len;
                    column = s->value;
                }
            }
        }
        for (;; column++, p++) {
            Cell *cell = cells + (column <= needed ? column : needed + 1);
            if (column == first)
                first_at = p;
            if (column == s->value)
                value_at = p;
            p = next_cell(p, end, s->mark, cell);
            if (!p)
                return 0;
            if (p == end)
                break;
        }
        if (column < needed)
            return 0;
        if (code < 0) {
            if (!cells[s->metric].len) {
                /* A rule's line: it has no metric. */
                if (!begins_same && s->anchor >= 0 && !is_count(cells + s->anchor))
                    return 0;
                continue;
            }
            for (int k = 0; k < s->part_count; k++)
                if (cells[s->parts[k]].state != QUOTED)
                    return 0;
            if (!begins_same && !place(s, cells, key))
                return 0;
            code = find_metric(s, cells);
            if (code < 0)
                return 0;
            if (sorted) {
                prefix = line;
                prefix_len = first_at - line;
            }
        }
        entry = (Entry *)s->entries.data + code;
        if (sorted) {
            entry->span = first_at;
            entry->span_len = value_at - first_at;
            if (last >= 0)
                ((Entry *)s->entries.data)[last].follower = code;
        }
        last = code;
        if (cells[s->value].state != QUOTED)
            return 0;
        Py_ssize_t row = s->numbers.count;
        if (!take(&s->numbers, cells + s->value, entry->is_text, &entry->odd))
            return 0;
        s->launch_of[row] = (int32_t)(s->launches.count / (size_t)s->identities) - 1;
        s->metric_of[row] = code;
    }
    return 1;
}

/* Whether all columns that are looked at are among those that every line is known to have. */
static int fit_together(const Long *s)
{
    int kernel = 0, anchor = s->anchor < 0, metric = 0, keys = 0;
    for (int k = 0; k < s->identities; k++) {
        kernel |= s->identity[k] == s->kernel;
        anchor |= s->identity[k] == s->anchor;
        for (int j = 0; j < s->keys; j++)
            keys += s->key[j] == s->identity[k];
    }
    for (int k = 0; k < s->part_count; k++)
        metric |= s->parts[k] == s->metric;
    return kernel && anchor && metric && keys == s->keys && s->value >= 0 && s->value < MAX_COLUMNS - 1;
}

/* The columns from the arguments; 0 with an exception set where they make no sense. */
static int take_columns(Long *s, PyObject *identity, PyObject *key, PyObject *parts)
{
    s->identities = columns_of(identity, s->identity, MAX_LISTED, MAX_COLUMNS - 1);
    s->keys = s->identities < 0 ? -1 : columns_of(key, s->key, MAX_LISTED, MAX_COLUMNS - 1);
    s->part_count = s->keys < 0 ? -1 : columns_of(parts, s->parts, 3, MAX_COLUMNS - 1);
    if (s->part_count < 0)
        return 0;
    if (!fit_together(s))
        PyErr_SetString(PyExc_ValueError, "columns that do not fit together");
    return !PyErr_Occurred();
}

/* Section, name and unit of each metric, as far as the CSV has them. */
static PyObject *names_of(const Long *s)
{
    size_t width = (size_t)s->part_count;
    Cell *names = malloc((s->entries.count * width + 1) * sizeof *names);
    if (!names)
        return PyErr_NoMemory();
    for (size_t e = 0; e < s->entries.count; e++)
        memcpy(names + e * width, ((Entry *)s->entries.data)[e].parts, width * sizeof *names);
    PyObject *rows = rows_of(names, s->entries.count, s->part_count);
    free(names);
    return rows;
}

/* (launches, launch of each value, metrics, metric of each value, numbers) */
static PyObject *result_of_long(Long *s, PyObject *launch_of, PyObject *metric_of)
{
    Py_ssize_t size = s->numbers.count * (Py_ssize_t)sizeof(int32_t);
    PyObject *launches = NULL, *metrics = NULL, *numbers = NULL, *result = NULL;
    if (PyByteArray_Resize(launch_of, size) == 0 && PyByteArray_Resize(metric_of, size) == 0
        && (launches = rows_of((Cell *)s->launches.data, s->launches.count / (size_t)s->identities, s->identities))
        && (metrics = names_of(s)) && (numbers = result_of(&s->numbers)))
        result = PyTuple_Pack(5, launches, launch_of, metrics, metric_of, numbers);
    Py_XDECREF(launches), Py_XDECREF(metrics), Py_XDECREF(numbers);
    return result;
}

static PyObject *read_long(PyObject *module, PyObject *args)
{
    Long s;
    const char *block;
    Py_ssize_t length;
    PyObject *identity, *key, *parts, *result = NULL, *launch_of = NULL, *metric_of = NULL;
    void *launches, *metrics;
    int mark, done;
    (void)module;
    memset(&s, 0, sizeof s);
    if (!PyArg_ParseTuple(args, "y#iO!O!O!iiiiy#", &block, &length, &mark, &PyTuple_Type, &identity, &PyTuple_Type, &key,
                          &PyTuple_Type, &parts, &s.anchor, &s.kernel, &s.metric, &s.value, &s.text_name.at,
                          &s.text_name.len)
        || !take_columns(&s, identity, key, parts))
        return NULL;
    s.mark = (char)mark;
    s.launches.size = sizeof(Cell);
    s.entries.size = sizeof(Entry);
    /* A cell takes a byte at least. */
    Py_ssize_t lines = count_lines(block, block + length), room = length / (s.value + 1) + 1;
    room = lines < room ? lines : room;
    launch_of = array_of(room, sizeof *s.launch_of, &launches);
    metric_of = array_of(room, sizeof *s.metric_of, &metrics);
    if (start_numbers(&s.numbers, room) && launch_of && metric_of) {
        s.launch_of = launches;
        s.metric_of = metrics;
        Py_BEGIN_ALLOW_THREADS
        done = scan_long(&s, block, block + length);
        Py_END_ALLOW_THREADS
        result = done ? result_of_long(&s, launch_of, metric_of) : Py_NewRef(Py_None);
    }
    Py_XDECREF(launch_of), Py_XDECREF(metric_of);
    free(s.table), free(s.launches.data), free(s.entries.data);
    end_numbers(&s.numbers);
    return result;
}

/* ---- A line per launch -------------------------------------------------------------------------------------- */

enum { NOTHING = -1, TEXT = -2, NUMBER = -3 }; /* roles of columns; from 0: identity */

typedef struct {
    char mark;
    int columns, identities, anchor, kernel;
    int *roles;
    int32_t *odd;
    Numbers numbers;
    List launches;
} Wide;

static int scan_wide(Wide *s, const char *block, const char *stop)
{
    Cell named[MAX_LISTED];
    const char *line, *end, *next;
    for (line = block; line < stop; line = next) {
        const char *p = line;
        int column = 0;
        end = line_end(line, stop, &next);
        if (!end || end - line < 2 || line[0] != '"' || !is_digit(line[1]))
            return 0;
        for (;; column++, p++) {
            Cell cell;
            if (column == s->columns)
                return 0;
            int role = s->roles[column];
            if (role == NUMBER && p < end && *p == '"' && s->numbers.count < s->numbers.room) {
                /* A number is read where it stands, without a search for its end. */
                uint8_t kind;
                const char *q = read_number(p + 1, end, s->numbers.values + s->numbers.count, &kind);
                if (kind != ODD && q < end && *q == '"' && (q + 1 == end || q[1] == s->mark)) {
                    s->numbers.kinds[s->numbers.count++] = kind;
                    p = q + 1;
                    if (p == end)
                        break;
                    continue;
                }
            }
            p = next_cell(p, end, s->mark, &cell);
            if (!p)
                return 0;
            if (role >= 0)
                named[role] = cell;
            else if (role != NOTHING) {
                if (cell.state == ESCAPED || !take(&s->numbers, &cell, role == TEXT, s->odd + column))
                    return 0;
            }
            if (p == end)
                break;
        }
        if (column != s->columns - 1)
            return 0;
        if ((s->anchor >= 0 && !is_count(named + s->anchor)) || !named[s->kernel].len)
            return 0;
        for (int k = 0; k < s->identities; k++) {
            Cell *cell = named[k].state == QUOTED ? push(&s->launches) : NULL;
            if (!cell)
                return 0;
            *cell = named[k];
        }
    }
    return 1;
}

/* Roles from one letter for each column: identity, number, text, or nothing; the numbers and texts of a line. */
static Py_ssize_t take_roles(Wide *s, const char *letters)
{
    Py_ssize_t metrics = 0;
    for (int i = 0; i < s->columns; i++) {
        s->roles[i] = letters[i] == 'i' ? s->identities++ : letters[i] == 'n' ? NUMBER : letters[i] == 't' ? TEXT : NOTHING;
        s->odd[i] = -1;
        metrics += s->roles[i] < NOTHING;
    }
    return metrics;
}

/* (launches, numbers) */
static PyObject *result_of_wide(Wide *s)
{
    PyObject *numbers = NULL, *result = NULL;
    size_t count = s->launches.count / (size_t)s->identities;
    PyObject *launches = rows_of((Cell *)s->launches.data, count, s->identities);
    if (launches && (numbers = result_of(&s->numbers)))
        result = PyTuple_Pack(2, launches, numbers);
    Py_XDECREF(launches), Py_XDECREF(numbers);
    return result;
}

static PyObject *read_wide(PyObject *module, PyObject *args)
{
    Wide s;
    const char *block, *letters;
    Py_ssize_t length, columns, metrics;
    PyObject *result = NULL;
    int mark, done;
    (void)module;
    memset(&s, 0, sizeof s);
    if (!PyArg_ParseTuple(args, "y#iy#ii", &block, &length, &mark, &letters, &columns, &s.anchor, &s.kernel))
        return NULL;
    s.mark = (char)mark;
    s.columns = columns < INT32_MAX / 16 ? (int)columns : 0;
    s.launches.size = sizeof(Cell);
    s.roles = malloc(((size_t)s.columns + 1) * sizeof *s.roles);
    s.odd = malloc(((size_t)s.columns + 1) * sizeof *s.odd);
    if (!s.roles || !s.odd) {
        PyErr_NoMemory();
        goto out;
    }
    metrics = take_roles(&s, letters);
    if (s.identities > MAX_LISTED || s.kernel < 0 || s.kernel >= s.identities || s.anchor >= s.identities) {
        PyErr_SetString(PyExc_ValueError, "columns that do not fit together");
        goto out;
    }
    /* A cell takes a byte at least, so that there are no more of them than bytes, whatever the header says. */
    Py_ssize_t lines = count_lines(block, block + length), room = length + lines;
    if (metrics && lines < room / metrics)
        room = lines * metrics;
    if (start_numbers(&s.numbers, room)) {
        Py_BEGIN_ALLOW_THREADS
        done = scan_wide(&s, block, block + length);
        Py_END_ALLOW_THREADS
        result = done ? result_of_wide(&s) : Py_NewRef(Py_None);
    }
out:
    free(s.roles), free(s.odd), free(s.launches.data);
    end_numbers(&s.numbers);
    return result;
}

static PyMethodDef methods[] = {
    {"read_long", read_long, METH_VARARGS, "A block with a line per metric; None where a line is not a plain one."},
    {"read_wide", read_wide, METH_VARARGS, "A block with a line per launch; None where a line is not a plain one."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_quoted_cells", NULL, 0, methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__quoted_cells(void) { return PyModuleDef_Init(&definition); }
