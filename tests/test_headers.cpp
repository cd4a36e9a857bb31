// What the tests have in common is in its precompiled header, see CMakeLists.txt.
