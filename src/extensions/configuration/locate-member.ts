interface Token {
  readonly text: string
  readonly line: number
}

const TOKEN =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\[\s\S]|[^'\\\n])*'|"(?:\\[\s\S]|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|[\p{ID_Start}$_][\p{ID_Continue}$]*|\S/gu

/** Items of lists have their index as name. Without the member, returns the line of its nearest ancestor. */
export function locateMember(source: string, path: readonly string[]): number {
  const tokens = readTokens(source)
  const root = findRoot(tokens)
  let line = tokens[root]?.line ?? 1
  let open = root
  for (const name of path) {
    const found = findInner(tokens, open, name)
    if (found === null) return line
    line = tokens[found.at]?.line ?? line
    open = found.value
  }
  return line
}

interface Inner {
  readonly at: number
  /** The first token of its value. -1 for a shorthand. */
  readonly value: number
}

/** Finds a member of an object literal, or an item of a list literal. */
function findInner(tokens: readonly Token[], open: number, name: string): Inner | null {
  if (textAt(tokens, open) === '[') {
    const item = findItem(tokens, open, Number(name))
    return item === null ? null : { at: item, value: item }
  }
  const key = findKey(tokens, open, name)
  if (key === null) return null
  return { at: key, value: textAt(tokens, key + 1) === ':' ? key + 2 : -1 }
}

function textAt(tokens: readonly Token[], index: number): string {
  return tokens[index]?.text ?? ''
}

function readTokens(source: string): readonly Token[] {
  const tokens: Token[] = []
  let line = 1
  let counted = 0
  for (const { 0: text, index } of source.matchAll(TOKEN)) {
    line += countLines(source.slice(counted, index))
    counted = index
    if (!text.startsWith('//') && !text.startsWith('/*')) tokens.push({ text, line })
  }
  return tokens
}

function countLines(text: string): number {
  return text.split('\n').length - 1
}

function findRoot(tokens: readonly Token[]): number {
  const starts = tokens.flatMap(({ text }, index) => {
    const next = textAt(tokens, index + 1)
    return STARTS.some(([one, other]) => text === one && next === other) ? [index + 2] : []
  })
  return starts.find((index) => textAt(tokens, index) === '{') ?? starts.at(-1) ?? 0
}

const STARTS = [
  ['defineConfig', '('],
  ['export', 'default'],
  ['exports', '='],
] as const

function findKey(tokens: readonly Token[], open: number, name: string): number | null {
  if (textAt(tokens, open) !== '{') return null
  let depth = 1
  for (let index = open + 1; index < tokens.length && depth > 0; index += 1) {
    const text = textAt(tokens, index)
    if (depth === 1 && isKey(tokens, index) && unquoted(text) === name) return index
    depth += DEPTHS.get(text) ?? 0
  }
  return null
}

/** Finds the first token of an item of the list literal that opens at `open`. */
function findItem(tokens: readonly Token[], open: number, position: number): number | null {
  let depth = 1
  let commas = 0
  for (let index = open + 1; index < tokens.length && depth > 0; index += 1) {
    const text = textAt(tokens, index)
    if (depth === 1 && commas === position && text !== ']') return index
    if (depth === 1 && text === ',') commas += 1
    depth += DEPTHS.get(text) ?? 0
  }
  return null
}

const DEPTHS: ReadonlyMap<string, number> = new Map([
  ['{', 1],
  ['[', 1],
  ['(', 1],
  ['}', -1],
  [']', -1],
  [')', -1],
])

function isKey(tokens: readonly Token[], index: number): boolean {
  const before = textAt(tokens, index - 1)
  return before === '{' || before === ','
}

function unquoted(text: string): string {
  return text.replace(/^(['"])(.*)\1$/, '$2')
}
