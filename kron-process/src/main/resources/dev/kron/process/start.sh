# The last shell before a command that others come before who are not to see its variables or must
# not go where it goes: who has more rights, or would be loaded with them. Stands before variables.sh.
# 1: working directory or empty  then the command's words
if [ "$1" ]; then cd -P "$1" || exit 126; fi
shift
