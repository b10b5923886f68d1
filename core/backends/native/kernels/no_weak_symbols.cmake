# Fails when one of OBJECTS defines a weak symbol. Run as: cmake -DNM=... -DOBJECTS=... -P no_weak_symbols.cmake
foreach(object ${OBJECTS})
  execute_process(COMMAND ${NM} -C ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]* [WVu] [^\n]*" weak "${symbols}")
  if(weak)
    message(FATAL_ERROR "${object} has weak symbols, of which the linker keeps one for all levels: ${weak}")
  endif()
endforeach()
