// The grammar of Phobos. Two things happen between the lexer and the parser (compiler/syntax/Layout.cpp): newlines become
// TERMINATOR where they end a statement and vanish elsewhere, every statement before a `}` gets one, and the `<` of
// `zeros<f32>(..)` becomes GENERIC. Names of types and built-ins are not keywords; what a name means is found later.
// Every decision below needs one token of lookahead, so that messages can say what was expected.
grammar Phobos;

tokens { TERMINATOR, GENERIC }

file : declaration* EOF ;

// `--point .. @ M <= 1024`, a legality formula
expressionFile : expr EOF ;

declaration : attribute* ( kernel | function ) ;

attribute : '@' IDENT ( '(' ( attributeArg ( ',' attributeArg )* )? ')' )? ;
attributeArg : STRING | expr ( '=' expr | 'in' list )? ;

kernel : 'kernel' head block ;
function : 'fn' head result? block ;
head : IDENT '(' params? ')' ;
result : '->' type ;
params : param ( ',' param )* ;
param : IDENT ':' type ;
type : IDENT ( '<' IDENT '>' list )? ;

block : '{' line* '}' ;
line : statement TERMINATOR ;
statement
  : letStatement
  | assignment
  | ifStatement
  | forStatement
  | whileStatement
  | returnStatement
  | 'break'
  | 'continue'
  | block
  ;
letStatement : ( 'let' | 'var' ) IDENT ( ':' type )? '=' expr ;
assignment
  : expr ( ( '=' | '+=' | '-=' | '*=' | '/=' | '%=' | '&=' | '|=' | '^=' | '<<=' | '>>=' | '&&=' | '||=' ) expr )?
  ;
ifStatement : 'if' expr block ( 'else' ( ifStatement | block ) )? ;
forStatement : 'for' unroll? IDENT 'in' IDENT '(' arguments? ')' block ;
unroll : '<' IDENT binary '>' ;
whileStatement : 'while' expr block ;
returnStatement : 'return' expr? ;

// Loosest first: the conditional, then `||`, `&&`, `!`, comparisons, then the operators of `binary`.
expr : logical ( 'if' logical 'else' expr )? ;
logical
  : '!' logical
  | logical '&&' logical
  | logical '||' logical
  | comparison
  ;
comparison : binary ( ( '==' | '!=' | '<' | '<=' | '>' | '>=' ) binary )* ;
binary
  : ( '-' | '~' ) binary
  | binary ( '*' | '/' | '%' ) binary
  | binary ( '+' | '-' ) binary
  | binary ( '<<' | '>>' ) binary
  | binary '&' binary
  | binary '^' binary
  | binary '|' binary
  | postfix
  ;
postfix : primary ( '[' subscript ( ',' subscript )* ']' | '.' IDENT )* ;
primary
  : IDENT ( ( GENERIC IDENT '>' )? '(' arguments? ')' )?
  | INT
  | FLOAT
  | 'true'
  | 'false'
  | '(' expr ')'
  | list
  ;
list : '[' ( expr ( ',' expr )* )? ']' ;
arguments : argument ( ',' argument )* ;
argument : expr ( '=' expr )? ;
subscript : expr ( ':' expr? | ':+' expr )? | ':' expr? ;

KERNEL : 'kernel' ;
FN : 'fn' ;
LET : 'let' ;
VAR : 'var' ;
IF : 'if' ;
ELSE : 'else' ;
FOR : 'for' ;
IN : 'in' ;
WHILE : 'while' ;
BREAK : 'break' ;
CONTINUE : 'continue' ;
RETURN : 'return' ;
TRUE : 'true' ;
FALSE : 'false' ;

ARROW : '->' ;
ASSIGN : '=' ;
ADD_ASSIGN : '+=' ;
SUB_ASSIGN : '-=' ;
MUL_ASSIGN : '*=' ;
DIV_ASSIGN : '/=' ;
REM_ASSIGN : '%=' ;
AND_ASSIGN : '&=' ;
OR_ASSIGN : '|=' ;
XOR_ASSIGN : '^=' ;
SHL_ASSIGN : '<<=' ;
SHR_ASSIGN : '>>=' ;
LOGICAL_AND_ASSIGN : '&&=' ;
LOGICAL_OR_ASSIGN : '||=' ;
LOGICAL_AND : '&&' ;
LOGICAL_OR : '||' ;
EQ : '==' ;
NE : '!=' ;
LE : '<=' ;
GE : '>=' ;
LT : '<' ;
GT : '>' ;
SHL : '<<' ;
SHR : '>>' ;
NOT : '!' ;
TILDE : '~' ;
ADD : '+' ;
SUB : '-' ;
MUL : '*' ;
DIV : '/' ;
REM : '%' ;
AND : '&' ;
OR : '|' ;
XOR : '^' ;
LPAREN : '(' ;
RPAREN : ')' ;
LBRACKET : '[' ;
RBRACKET : ']' ;
LBRACE : '{' ;
RBRACE : '}' ;
COMMA : ',' ;
COLON_PLUS : ':+' ;
COLON : ':' ;
DOT : '.' ;
AT : '@' ;
SEMICOLON : ';' ;

FLOAT : DIGITS '.' DIGITS EXPONENT? | DIGITS EXPONENT | 'inf' | 'nan' ;
INT : DIGITS | '0' [xX] [0-9a-fA-F] ( '_'* [0-9a-fA-F] )* ;
IDENT : [a-zA-Z_] [a-zA-Z_0-9]* ;
STRING : '"' ( ~["\\\r\n] | '\\' ["\\n] )* '"' ;
fragment DIGITS : [0-9] ( '_'* [0-9] )* ;
fragment EXPONENT : [eE] [+-]? DIGITS ;

NEWLINE : '\n' ;
BLOCK_COMMENT : '/*' .*? '*/' ;
LINE_COMMENT : '//' ~[\n]* -> skip ;
SPACE : [ \t\r\f]+ -> skip ;

// What cannot be right, each with its own message.
BAD_NUMBER : [0-9] [0-9a-zA-Z_]* | DIGITS '.' | '.' DIGITS EXPONENT? | DIGITS '.' DIGITS EXPONENT? [a-zA-Z_] [0-9a-zA-Z_]* ;
OPEN_COMMENT : '/*' ;
OPEN_STRING : '"' ( ~["\\\r\n] | '\\' ~[\r\n] )* '"'? ;
BAD_CHARACTER : . ;
