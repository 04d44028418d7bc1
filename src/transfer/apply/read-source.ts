import { createReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { SentLine } from '../../content/bulk/run-lines.ts'
import { ApplicationError, MalformedBodyError, ValidationError } from '../../base/errors.ts'
import { assertShallow } from '../../schema/values/json-levels.ts'
import { boundedLines } from '../bounded-lines.ts'
import { utf8Text } from '../utf8-text.ts'
import { csvRows } from './csv-rows.ts'
import { lineOf } from './line-of.ts'
import type { SourceFile } from './source-files.ts'

/** A JSON array is read into memory. Larger inputs must be NDJSON. */
const MAX_JSON_BYTES = 256 * 1024 * 1024

export async function* readSource(
  file: SourceFile,
  { key, input }: { readonly key: string | null; readonly input: Readable },
): AsyncGenerator<SentLine> {
  let number = 0
  for await (const { line, value } of valuesOf(file, input)) {
    number = line ?? number + 1
    const sent =
      value instanceof MalformedBodyError || value instanceof ValidationError
        ? { error: value }
        : { value: lineOf(value, file, key) }
    yield { line: number, sent }
  }
}

export async function countLines({ path, format }: SourceFile): Promise<number | null> {
  if (path === null || format === 'json') return null
  let lines = 0
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(0x0a); at !== -1; at = chunk.indexOf(0x0a, at + 1)) lines += 1
  }
  return lines
}

interface Value {
  readonly line: number | null
  readonly value: unknown
}

async function* valuesOf(file: SourceFile, input: Readable): AsyncGenerator<Value> {
  const { path, format, plan } = file
  if (format === 'json') {
    for (const value of await readList(path ?? '')) yield { line: null, value }
    return
  }
  const bytes = path === null ? input : createReadStream(path)
  if (format === 'csv' && plan !== null) {
    for await (const value of csvRows(bytes, plan)) yield { line: null, value }
    return
  }
  let line = 0
  for await (const text of boundedLines(bytes, file.name)) {
    line += 1
    if (text.trim() !== '') yield { line, value: parse(text) }
  }
}

async function readList(path: string): Promise<readonly unknown[]> {
  const { size } = await stat(path)
  if (size > MAX_JSON_BYTES) {
    throw new ApplicationError(
      `${path} has more than ${MAX_JSON_BYTES} bytes: write a line for each document, as .ndjson`,
    )
  }
  const decode = utf8Text(() => path)
  const value = parse(decode(await readFile(path)) + decode())
  if (value instanceof MalformedBodyError) throw new ApplicationError(`${path}: ${value.message}`)
  return Array.isArray(value) ? (value as readonly unknown[]) : [value]
}

function parse(text: string): unknown {
  try {
    assertShallow(text)
    return JSON.parse(text) as unknown
  } catch (error) {
    return new MalformedBodyError(error instanceof Error ? error.message : String(error), null)
  }
}
