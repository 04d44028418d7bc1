import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect } from 'chai'

const require = createRequire(import.meta.url)
const readDriver = (file: string): string =>
  readFileSync(require.resolve(`mongodb/lib/${file}`), 'utf8')

/** The digest of a function of the driver. `head` is its first line with the indentation. */
function digestOf(file: string, head: string): string {
  const source = readDriver(file)
  const start = source.indexOf(`\n${head}`)
  const indent = / */.exec(head)?.[0] ?? ''
  const text = source.slice(start, source.indexOf(`\n${indent}}\n`, start))
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

// A new version of the driver that changes one of these needs another look at its patch, which may be obsolete.
describe('the internals of the driver that are patched', () => {
  it('write a command as `socket-writes.ts` expects', () => {
    const digest = digestOf('cmap/connection.js', '    async writeCommand(')
    expect(digest).to.equal('6731a0f8457a6a27')
  })

  it('choose the reads to retry as `read-retries.ts` expects', () => {
    expect(digestOf('error.js', 'function isRetryableReadError(')).to.equal('006b0a8b181489d8')
    const caller = readDriver('operations/execute_operation.js')
    expect(caller).to.include('(0, error_1.isRetryableReadError)(error)') // through the exports, which are patched
  })

  it('track sessions and cursors as `active-sets.ts` expects', () => {
    const sources = ['mongo_client.js', 'cursor/abstract_cursor.js'].map(readDriver)
    const uses = sources.flatMap(
      (source) => source.match(/active(?:Sessions|Cursors)[^,;]*/g) ?? [],
    )
    expect(uses).to.deep.equal([
      'activeSessions: new Set()',
      'activeCursors: new Set()',
      'activeCursors',
      'activeCursors.clear()',
      'activeSessions',
      'activeSessions.clear()',
      'activeSessions.add(session)',
      'activeSessions.delete(session)',
      'activeCursors.delete(this)',
      'activeCursors.add(this)',
    ])
  })
})
