// SPDX-License-Identifier: MIT
// The one list of every CPython structure field and trait in use, for the tables in offsets/, the
// parser, the validation and the probe of tools/gen-offsets.
#ifndef PYATTACH_PYTHON_FIELDS_H
#define PYATTACH_PYTHON_FIELDS_H

// X(section, field, width, since, until): width is the bytes read at the offset (0 = only an
// address or a size is taken); since and until are the first and last version that must have it,
// as major * 100 + minor.
#define PY_FIELDS(X)                                                                               \
	X(runtime, interpreters_head, 8, 308, 399)                                                 \
	X(runtime, gil, 0, 308, 311)                                                               \
	X(interp, next, 8, 308, 399)                                                               \
	X(interp, id, 8, 308, 399)                                                                 \
	X(interp, threads_head, 8, 308, 399)                                                       \
	X(interp, sysdict, 8, 308, 399)                                                            \
	X(interp, modules, 8, 308, 399)                                                            \
	X(interp, gil, 8, 312, 399)                                                                \
	X(gil, locked, 4, 308, 399)                                                                \
	X(gil, last_holder, 8, 308, 399)                                                           \
	X(thread, next, 8, 308, 399)                                                               \
	X(thread, interp, 8, 308, 399)                                                             \
	X(thread, id, 8, 308, 399)                                                                 \
	X(thread, thread_id, 8, 308, 399)                                                          \
	X(thread, native_thread_id, 8, 311, 399)                                                   \
	X(thread, frame, 8, 308, 310)                                                              \
	X(thread, cframe, 8, 311, 312)                                                             \
	X(thread, current_frame, 8, 313, 399)                                                      \
	X(thread, datastack_chunk, 8, 311, 399)                                                    \
	X(thread, datastack_top, 8, 311, 399)                                                      \
	X(cframe, current_frame, 8, 311, 312)                                                      \
	X(cframe, previous, 8, 311, 312)                                                           \
	X(chunk, previous, 8, 311, 399)                                                            \
	X(chunk, size, 8, 311, 399)                                                                \
	X(chunk, top, 8, 311, 399)                                                                 \
	X(chunk, data, 0, 311, 399)                                                                \
	X(frame, previous, 8, 308, 399)                                                            \
	X(frame, code, 8, 308, 399)                                                                \
	X(frame, lasti, 4, 308, 310)                                                               \
	X(frame, executing, 1, 308, 309)                                                           \
	X(frame, state, 1, 310, 310)                                                               \
	X(frame, instr, 8, 311, 399)                                                               \
	X(frame, stacktop, 4, 311, 313)                                                            \
	X(frame, owner, 1, 311, 399)                                                               \
	X(frame, is_entry, 1, 311, 311)                                                            \
	X(generator, iframe, 0, 311, 399)                                                          \
	X(generator, state, 1, 311, 399)                                                           \
	X(code, filename, 8, 308, 399)                                                             \
	X(code, name, 8, 308, 399)                                                                 \
	X(code, qualname, 8, 311, 399)                                                             \
	X(code, firstlineno, 4, 308, 399)                                                          \
	X(code, linetable, 8, 308, 399)                                                            \
	X(code, bytecode, 0, 311, 399)                                                             \
	X(code, firsttraceable, 4, 311, 399)                                                       \
	X(object, type, 8, 308, 399)                                                               \
	X(object, size, 8, 308, 399)                                                               \
	X(type, name, 8, 308, 399)                                                                 \
	X(type, basicsize, 8, 308, 399)                                                            \
	X(type, itemsize, 8, 308, 399)                                                             \
	X(type, flags, 8, 308, 399)                                                                \
	X(type, dictoffset, 8, 308, 399)                                                           \
	X(type, cached_keys, 8, 311, 399)                                                          \
	X(unicode, length, 8, 308, 399)                                                            \
	X(unicode, state, 4, 308, 399)                                                             \
	X(unicode, wstr, 8, 308, 311)                                                              \
	X(unicode, wstr_length, 8, 308, 311)                                                       \
	X(unicode, data, 8, 308, 399)                                                              \
	X(unicode, ascii_size, 0, 308, 399)                                                        \
	X(unicode, compact_size, 0, 308, 399)                                                      \
	X(bytes, value, 0, 308, 399)                                                               \
	X(long, size, 8, 308, 311)                                                                 \
	X(long, tag, 8, 312, 399)                                                                  \
	X(long, digits, 4, 308, 399)                                                               \
	X(list, items, 8, 308, 399)                                                                \
	X(tuple, items, 8, 308, 399)                                                               \
	X(dict, keys, 8, 308, 399)                                                                 \
	X(dict, values, 8, 308, 399)                                                               \
	X(dictkeys, size, 8, 308, 310)                                                             \
	X(dictkeys, index_log2, 1, 311, 399)                                                       \
	X(dictkeys, kind, 1, 311, 399)                                                             \
	X(dictkeys, nentries, 8, 308, 399)                                                         \
	X(dictkeys, indices, 0, 308, 399)                                                          \
	X(dictvalues, capacity, 1, 313, 399)                                                       \
	X(dictvalues, values, 8, 311, 399)

// X(section, field, since, until, type, member): where a Python's own headers keep it, as
// offsetof(type, member); member "sizeof" stands for sizeof(type).
#define PY_PLACES(X)                                                                               \
	X(runtime, interpreters_head, 308, 399, _PyRuntimeState, interpreters.head)                \
	X(runtime, gil, 308, 311, _PyRuntimeState, ceval.gil)                                      \
	X(interp, next, 308, 399, PyInterpreterState, next)                                        \
	X(interp, id, 308, 399, PyInterpreterState, id)                                            \
	X(interp, threads_head, 308, 310, PyInterpreterState, tstate_head)                         \
	X(interp, threads_head, 311, 399, PyInterpreterState, threads.head)                        \
	X(interp, sysdict, 308, 399, PyInterpreterState, sysdict)                                  \
	X(interp, modules, 308, 311, PyInterpreterState, modules)                                  \
	X(interp, modules, 312, 399, PyInterpreterState, imports.modules)                          \
	X(interp, gil, 312, 399, PyInterpreterState, ceval.gil)                                    \
	X(gil, locked, 308, 399, struct _gil_runtime_state, locked)                                \
	X(gil, last_holder, 308, 399, struct _gil_runtime_state, last_holder)                      \
	X(thread, next, 308, 399, PyThreadState, next)                                             \
	X(thread, interp, 308, 399, PyThreadState, interp)                                         \
	X(thread, id, 308, 399, PyThreadState, id)                                                 \
	X(thread, thread_id, 308, 399, PyThreadState, thread_id)                                   \
	X(thread, native_thread_id, 311, 399, PyThreadState, native_thread_id)                     \
	X(thread, frame, 308, 310, PyThreadState, frame)                                           \
	X(thread, cframe, 311, 312, PyThreadState, cframe)                                         \
	X(thread, current_frame, 313, 399, PyThreadState, current_frame)                           \
	X(thread, datastack_chunk, 311, 399, PyThreadState, datastack_chunk)                       \
	X(thread, datastack_top, 311, 399, PyThreadState, datastack_top)                           \
	X(cframe, current_frame, 311, 312, _PyCFrame, current_frame)                               \
	X(cframe, previous, 311, 312, _PyCFrame, previous)                                         \
	X(chunk, previous, 311, 399, _PyStackChunk, previous)                                      \
	X(chunk, size, 311, 399, _PyStackChunk, size)                                              \
	X(chunk, top, 311, 399, _PyStackChunk, top)                                                \
	X(chunk, data, 311, 399, _PyStackChunk, data)                                              \
	X(frame, previous, 308, 310, PyFrameObject, f_back)                                        \
	X(frame, previous, 311, 399, _PyInterpreterFrame, previous)                                \
	X(frame, code, 308, 310, PyFrameObject, f_code)                                            \
	X(frame, code, 311, 312, _PyInterpreterFrame, f_code)                                      \
	X(frame, code, 313, 399, _PyInterpreterFrame, f_executable)                                \
	X(frame, lasti, 308, 310, PyFrameObject, f_lasti)                                          \
	X(frame, executing, 308, 309, PyFrameObject, f_executing)                                  \
	X(frame, state, 310, 310, PyFrameObject, f_state)                                          \
	X(frame, instr, 311, 312, _PyInterpreterFrame, prev_instr)                                 \
	X(frame, instr, 313, 399, _PyInterpreterFrame, instr_ptr)                                  \
	X(frame, stacktop, 311, 313, _PyInterpreterFrame, stacktop)                                \
	X(frame, owner, 311, 399, _PyInterpreterFrame, owner)                                      \
	X(frame, is_entry, 311, 311, _PyInterpreterFrame, is_entry)                                \
	X(generator, iframe, 311, 399, PyGenObject, gi_iframe)                                     \
	X(generator, state, 311, 399, PyGenObject, gi_frame_state)                                 \
	X(code, filename, 308, 399, PyCodeObject, co_filename)                                     \
	X(code, name, 308, 399, PyCodeObject, co_name)                                             \
	X(code, qualname, 311, 399, PyCodeObject, co_qualname)                                     \
	X(code, firstlineno, 308, 399, PyCodeObject, co_firstlineno)                               \
	X(code, linetable, 308, 309, PyCodeObject, co_lnotab)                                      \
	X(code, linetable, 310, 399, PyCodeObject, co_linetable)                                   \
	X(code, bytecode, 311, 399, PyCodeObject, co_code_adaptive)                                \
	X(code, firsttraceable, 311, 399, PyCodeObject, _co_firsttraceable)                        \
	X(object, type, 308, 399, PyObject, ob_type)                                               \
	X(object, size, 308, 399, PyVarObject, ob_size)                                            \
	X(type, name, 308, 399, PyTypeObject, tp_name)                                             \
	X(type, basicsize, 308, 399, PyTypeObject, tp_basicsize)                                   \
	X(type, itemsize, 308, 399, PyTypeObject, tp_itemsize)                                     \
	X(type, flags, 308, 399, PyTypeObject, tp_flags)                                           \
	X(type, dictoffset, 308, 399, PyTypeObject, tp_dictoffset)                                 \
	X(type, cached_keys, 311, 399, PyHeapTypeObject, ht_cached_keys)                           \
	X(unicode, length, 308, 399, PyASCIIObject, length)                                        \
	X(unicode, state, 308, 399, PyASCIIObject, state)                                          \
	X(unicode, wstr, 308, 311, PyASCIIObject, wstr)                                            \
	X(unicode, wstr_length, 308, 311, PyCompactUnicodeObject, wstr_length)                     \
	X(unicode, data, 308, 399, PyUnicodeObject, data)                                          \
	X(unicode, ascii_size, 308, 399, PyASCIIObject, sizeof)                                    \
	X(unicode, compact_size, 308, 399, PyCompactUnicodeObject, sizeof)                         \
	X(bytes, value, 308, 399, PyBytesObject, ob_sval)                                          \
	X(long, size, 308, 311, PyLongObject, ob_base.ob_size)                                     \
	X(long, tag, 312, 399, PyLongObject, long_value.lv_tag)                                    \
	X(long, digits, 308, 311, PyLongObject, ob_digit)                                          \
	X(long, digits, 312, 399, PyLongObject, long_value.ob_digit)                               \
	X(list, items, 308, 399, PyListObject, ob_item)                                            \
	X(tuple, items, 308, 399, PyTupleObject, ob_item)                                          \
	X(dict, keys, 308, 399, PyDictObject, ma_keys)                                             \
	X(dict, values, 308, 399, PyDictObject, ma_values)                                         \
	X(dictkeys, size, 308, 310, PyDictKeysObject, dk_size)                                     \
	X(dictkeys, index_log2, 311, 399, PyDictKeysObject, dk_log2_index_bytes)                   \
	X(dictkeys, kind, 311, 399, PyDictKeysObject, dk_kind)                                     \
	X(dictkeys, nentries, 308, 399, PyDictKeysObject, dk_nentries)                             \
	X(dictkeys, indices, 308, 399, PyDictKeysObject, dk_indices)                               \
	X(dictvalues, capacity, 313, 399, PyDictValues, capacity)                                  \
	X(dictvalues, values, 311, 399, PyDictValues, values)

// X(section, field, member): the entry of the target's own table (_Py_DebugOffsets, 3.13+) that
// gives the field or that it is anchored to: the generator writes "@N" where the entry's value is
// the field's own offset and "@N+K" or "@N-K" where the field lies K bytes away. A field that is
// not listed stays literal.
#define PY_DEBUG_OFFSETS(X)                                                                        \
	X(runtime, interpreters_head, runtime_state.interpreters_head)                             \
	X(interp, next, interpreter_state.next)                                                    \
	X(interp, id, interpreter_state.id)                                                        \
	X(interp, threads_head, interpreter_state.threads_head)                                    \
	X(interp, sysdict, interpreter_state.sysdict)                                              \
	X(interp, modules, interpreter_state.imports_modules)                                      \
	X(interp, gil, interpreter_state.ceval_gil)                                                \
	X(thread, next, thread_state.next)                                                         \
	X(thread, interp, thread_state.interp)                                                     \
	X(thread, id, thread_state.datastack_chunk)                                                \
	X(thread, thread_id, thread_state.thread_id)                                               \
	X(thread, native_thread_id, thread_state.native_thread_id)                                 \
	X(thread, current_frame, thread_state.current_frame)                                       \
	X(thread, datastack_chunk, thread_state.datastack_chunk)                                   \
	X(thread, datastack_top, thread_state.datastack_chunk)                                     \
	X(frame, previous, interpreter_frame.previous)                                             \
	X(frame, code, interpreter_frame.executable)                                               \
	X(frame, instr, interpreter_frame.instr_ptr)                                               \
	X(frame, owner, interpreter_frame.owner)                                                   \
	X(code, filename, code_object.filename)                                                    \
	X(code, name, code_object.name)                                                            \
	X(code, qualname, code_object.qualname)                                                    \
	X(code, firstlineno, code_object.firstlineno)                                              \
	X(code, linetable, code_object.linetable)                                                  \
	X(code, bytecode, code_object.co_code_adaptive)                                            \
	X(code, firsttraceable, code_object.co_code_adaptive)                                      \
	X(object, type, pyobject.ob_type)                                                          \
	X(object, size, tuple_object.ob_size)                                                      \
	X(type, name, type_object.tp_name)                                                         \
	X(type, basicsize, type_object.tp_name)                                                    \
	X(type, itemsize, type_object.tp_name)                                                     \
	X(type, flags, type_object.tp_flags)                                                       \
	X(type, dictoffset, type_object.tp_flags)                                                  \
	X(unicode, length, unicode_object.length)                                                  \
	X(unicode, state, unicode_object.state)                                                    \
	X(unicode, data, unicode_object.asciiobject_size)                                          \
	X(unicode, ascii_size, unicode_object.asciiobject_size)                                    \
	X(unicode, compact_size, unicode_object.asciiobject_size)                                  \
	X(bytes, value, bytes_object.ob_sval)                                                      \
	X(long, tag, long_object.lv_tag)                                                           \
	X(long, digits, long_object.ob_digit)                                                      \
	X(list, items, list_object.ob_item)                                                        \
	X(tuple, items, tuple_object.ob_item)                                                      \
	X(dict, keys, dict_object.ma_keys)                                                         \
	X(dict, values, dict_object.ma_values)

// Traits are what differs in behaviour and not in place. X(trait, value, first, last version in
// which a table made from headers gets it); each value is one function in the reader.
#define PY_TRAITS(X)                                                                               \
	X(frame, heap, 308, 310)                                                                   \
	X(frame, cframe_iframe, 311, 312)                                                          \
	X(frame, iframe, 313, 313)                                                                 \
	X(linetable, lnotab, 308, 309)                                                             \
	X(linetable, ranges, 310, 310)                                                             \
	X(linetable, locations, 311, 313)                                                          \
	X(gil, runtime, 308, 311)                                                                  \
	X(gil, interp, 312, 313)                                                                   \
	X(attrs, dictoffset, 308, 310)                                                             \
	X(attrs, values_before, 311, 311)                                                          \
	X(attrs, tagged_before, 312, 312)                                                          \
	X(attrs, inline_values, 313, 313)                                                          \
	X(keys, sized, 308, 310)                                                                   \
	X(keys, log2, 311, 313)                                                                    \
	X(str, legacy, 308, 311)                                                                   \
	X(str, ready, 312, 313)                                                                    \
	X(int, signed_size, 308, 311)                                                              \
	X(int, tagged, 312, 313)                                                                   \
	X(lasti, bytes, 308, 309)                                                                  \
	X(lasti, units, 310, 310)                                                                  \
	X(lasti, pointer, 311, 313)

#endif
