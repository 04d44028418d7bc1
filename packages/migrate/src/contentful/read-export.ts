import { createReadStream } from 'node:fs'
import { JSONParser } from '@streamparser/json'
import { MigrationError } from '../migration-error.ts'
import type { Data } from '../data.ts'

export interface ExportItem {
  readonly list: string
  readonly value: Data
}

/**
 * Keeps only one item in memory. @throws MigrationError for an unreadable or truncated file
 * https://github.com/contentful/contentful-export#exported-data-structure
 */
export async function* readExport(path: string): AsyncGenerator<ExportItem> {
  const found: ExportItem[] = []
  const parser = new JSONParser({ paths: ['$.*.*'], keepStack: false })
  parser.onValue = ({ value, stack }) => {
    const list = stack[1]?.key
    if (typeof list !== 'string' || typeof value !== 'object' || value === null) return
    found.push({ list, value: value as unknown as Data })
  }
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      parser.write(chunk)
      yield* found.splice(0)
    }
    if (!parser.isEnded) parser.end()
  } catch (error) {
    if (!(error instanceof Error) || error instanceof MigrationError) throw error
    throw new MigrationError(`${path} cannot be read: ${error.message}`, { cause: error })
  }
}
