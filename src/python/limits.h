// SPDX-License-Identifier: MIT
// Every bound on what a target can make us read or hold.
#ifndef PYATTACH_PYTHON_LIMITS_H
#define PYATTACH_PYTHON_LIMITS_H

#define LIMIT_TABLE_TEXT   (1u << 20) // bytes of an offsets table
#define LIMIT_OFFSET       (1u << 20) // an offset inside a structure
#define LIMIT_SLICE        512u       // bytes of a structure that is copied as a whole
#define LIMIT_INTERPRETERS 64u
#define LIMIT_THREADS      16384u      // of one interpreter
#define LIMIT_FRAMES       65536u      // of one thread
#define LIMIT_CHUNKS       4096u       // of one thread's data stack
#define LIMIT_CHUNK_BYTES  (16u << 20) // one chunk
#define LIMIT_STACK_BYTES  (64u << 20) // all pieces of one copy of a stack
#define LIMIT_CFRAMES      8u          // C frames of a thread that lie apart from its stack
#define LIMIT_WINDOW       (96u << 10) // bytes of a thread\'s C stack that are copied
#define LIMIT_LOOSE        4u          // loose frames kept though the last walk did not meet them
#define LIMIT_STRING       4096u       // characters of a name or path; a cut is marked
#define LIMIT_LINETABLE    (8u << 20)  // bytes
#define LIMIT_DICT_ENTRIES (1u << 16)
#define LIMIT_LIST_ITEMS   4096u
#define LIMIT_VERSION_SCAN (32u << 20) // bytes of writable data searched for the version text
#define LIMIT_CODE_TYPE    64u         // bytes of a type's name

#endif
