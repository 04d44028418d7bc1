import { BSONRegExp } from 'bson'
import { spendOn } from '../deadline.ts'
import { badValue, CommandError } from '../errors.ts'
import { compileBoundedRegex } from './bounded-regex.ts'
import type { TextTest } from './bounded-regex.ts'
import type { Value } from './values.ts'

const END_OF_TEXT = '(?=\\n?(?![\\s\\S]))'
const ESCAPES: Readonly<Record<string, string>> = {
  A: '(?<![\\s\\S])',
  z: '(?![\\s\\S])',
  Z: END_OF_TEXT,
  h: '[ \\t]',
  a: '\\x07',
  e: '\\x1b',
}
const SAME_ESCAPES = /[dDwWsSbBnrtfvxpPuk1-9]/
const SYNTAX = /[\^$\\.*+?()[\]{}|/]/

interface Flags {
  readonly multiline: boolean
  readonly dotAll: boolean
  readonly extended: boolean
}

function translateEscape(next: string, inClass: boolean): string {
  if (next === '0') return '\\x00'
  if (/[a-zA-Z0-9]/.test(next)) {
    if (SAME_ESCAPES.test(next)) return `\\${next}`
    const known = ESCAPES[next]
    if (known === undefined || inClass) throw new Error(`unsupported escape \\${next}`)
    return known
  }
  return SYNTAX.test(next) || (inClass && next === '-') ? `\\${next}` : next
}

function translateClass(pattern: string, start: number): { text: string; end: number } {
  // A bracket right after the opening one is a literal.
  const head = /^\[\^?\]?/.exec(pattern.slice(start))?.[0] ?? '['
  let text = head.replace(']', '\\]')
  let at = start + head.length
  for (; at < pattern.length && pattern[at] !== ']'; at++) {
    if (pattern[at] === '\\') text += translateEscape(pattern[++at] ?? '', true)
    else text += translateMember(pattern, at)
  }
  if (at >= pattern.length) throw new Error('missing terminating ]')
  return { text: `${text}]`, end: at }
}

function translateMember(pattern: string, at: number): string {
  const char = pattern[at] ?? ''
  if (char !== '[') return char
  if (pattern[at + 1] === ':') throw new Error('POSIX classes are not supported')
  return '\\['
}

function translateChar(char: string, flags: Flags): string {
  if (char === '$' && !flags.multiline) return END_OF_TEXT
  if (char === '.' && !flags.dotAll) return '[^\\n]'
  return flags.extended && /\s/.test(char) ? '' : char
}

function translatePattern(pattern: string, flags: Flags): string {
  let text = ''
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] ?? ''
    if (char === '\\') text += translateEscape(pattern[++at] ?? '\\', false)
    else if (char === '[') {
      const part = translateClass(pattern, at)
      text += part.text
      at = part.end
    } else if (flags.extended && char === '#')
      at = (pattern.indexOf('\n', at) + 1 || pattern.length + 1) - 1
    else text += translateChar(char, flags)
  }
  return text
}

const compiled = new Map<string, TextTest>()

/**
 * The translation never changes the meaning.
 * @throws CommandError if the pattern uses syntax that only PCRE has
 */
export function compileRegex(pattern: string, options: string): TextTest {
  const key = `${options}/${pattern}`
  const known = compiled.get(key)
  if (known) return known
  if (!/^[imsxu]*$/.test(options))
    throw new CommandError('BadValue', `invalid flag in regex options: ${options}`)
  if (pattern.includes('\0'))
    throw badValue('Regular expression cannot contain an embedded null byte')
  const inline = /^\(\?([imsx]+)\)/.exec(pattern)
  const all = [...new Set(options + (inline?.[1] ?? ''))].join('')
  const flags = {
    multiline: all.includes('m'),
    dotAll: all.includes('s'),
    extended: all.includes('x'),
  }
  try {
    const source = translatePattern(pattern.slice(inline?.[0].length ?? 0), flags)
    const regex = compileBoundedRegex(new RegExp(source, `u${all.replace(/[xu]/g, '')}`))
    if (compiled.size > 1000) compiled.clear()
    compiled.set(key, regex)
    return regex
  } catch (error) {
    throw new CommandError(
      'Location5107200',
      `Regular expression is invalid: ${(error as Error).message}`,
    )
  }
}

export function compileRegexTest({ pattern, options }: BSONRegExp): (value: Value) => boolean {
  const regex = compileRegex(pattern, options)
  return (value) => {
    if (typeof value === 'string') {
      spendOn(value.length)
      return regex.test(value)
    }
    return value instanceof BSONRegExp && value.pattern === pattern && value.options === options
  }
}

export function getLiteralPrefix({ pattern, options }: BSONRegExp): string {
  if (options !== '' || !pattern.startsWith('^') || pattern.includes('|')) return ''
  const literal = /^\^((?:[^\\^$.*+?()[\]{}|]|\\[^a-zA-Z0-9])*)([*?{]?)/.exec(pattern)
  const text = (literal?.[1] ?? '').replace(/\\(.)/g, '$1')
  // A quantifier that allows zero makes the character before it optional.
  return literal?.[2] ? text.replace(/.$/su, '') : text
}
