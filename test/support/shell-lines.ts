/** A command of a shell block. */
export interface Command {
  /** The names of the variables set for it alone. */
  readonly variables: readonly string[]
  readonly words: readonly string[]
}

const ASSIGNMENT = /^([A-Z][A-Z0-9_]*)=/
/** Lines that begin like this are no command: requests, JSON, headers, configuration files, output. */
const NO_COMMAND = /^(?:(?:GET|POST|PUT|DELETE) |[{"[\]}]|-[dH] |data:|id:|[A-Za-z-]+: |https?:)/

/** The commands of a block, without comments, each part of a pipe and of `&&` on its own. */
export function commandsIn(block: string): readonly Command[] {
  if (!isShell(block)) return []
  return joinLines(block).flatMap((line) => partsOf(line).map(commandOf).filter(isCommand))
}

/** The first line decides: a block is all shell or none. */
function isShell(block: string): boolean {
  const [first = ''] = block
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
  const name = first.replace(/^(?:[A-Z][A-Z0-9_]*=\S* +)*/, '').split(' ')[0] ?? ''
  return (
    !NO_COMMAND.test(first) &&
    (/^[a-z][a-z-]*$/.test(name) || first.startsWith('#') || ASSIGNMENT.test(first))
  )
}

function joinLines(block: string): readonly string[] {
  const lines: string[] = []
  let isOpen = false
  for (const line of block.split('\n').map((each) => each.trim())) {
    if (isOpen) lines.push(`${lines.pop() ?? ''}\n${line}`)
    else lines.push(line)
    const last = lines.at(-1) ?? ''
    isOpen = last.endsWith('\\') || last.split("'").length % 2 === 0
  }
  return lines.map((line) => line.replaceAll('\\\n', ' '))
}

function partsOf(line: string): readonly string[] {
  return line
    .replace(/(?:^|\s)#\s.*$/, '')
    .split(/ && | \|\|? | ; /)
    .map((part) => part.trim())
    .filter((part) => part !== '' && !NO_COMMAND.test(part))
}

function commandOf(part: string): Command {
  const words = wordsOf(part)
  const start = words.findIndex((word) => !ASSIGNMENT.test(word))
  const assignments = start === -1 ? words : words.slice(0, start)
  return {
    variables: assignments.map((word) => ASSIGNMENT.exec(word)?.[1] ?? ''),
    words: start === -1 ? [] : words.slice(start),
  }
}

/** Words as a shell splits them. */
function wordsOf(part: string): readonly string[] {
  const found = part.matchAll(/(?:'[^']*'|"(?:\\.|[^"\\])*"|<[^>]*>|\\.|[^\s'"<])+/g)
  return [...found].map(([word]) =>
    word.replaceAll(
      /'([^']*)'|"((?:\\.|[^"\\])*)"/g,
      (_, single?: string, double?: string) => single ?? double ?? '',
    ),
  )
}

function isCommand({ variables, words }: Command): boolean {
  return variables.length > 0 || words.length > 0
}
