import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

/** Packages that use memory and are not always needed. They are loaded by `await import`. */
const LOADED_WHEN_NEEDED = [
  /^sharp$/,
  /^nodemailer$/,
  /^esbuild$/,
  /^koa-body$/,
  /^pino-pretty$/,
  /^@simplewebauthn\//,
  /^@aws-sdk\//,
  /^@modelcontextprotocol\//,
  /^(lmdb|bson|@quire\/engine)$/,
  /^mongodb-memory-server/,
]

describe('the startup of the server', () => {
  it('does not load packages that only some installations or requests need', () => {
    const loaded = packagesOf('../../src/server/main.js', '../../src/server/app.js')
    expect(loaded).to.include('koa').and.to.include('mongodb')
    const early = [...loaded].filter((name) => LOADED_WHEN_NEEDED.some((one) => one.test(name)))
    expect(early).to.deep.equal([])
  })
})

/**
 * Returns the packages that compiled modules import at load time, starting from the entries. Type imports are already
 * removed.
 */
function packagesOf(...entries: readonly string[]): ReadonlySet<string> {
  const packages = new Set<string>()
  const visited = new Set<string>()
  const visit = (file: URL): void => {
    if (visited.has(file.href)) return
    visited.add(file.href)
    const source = readFileSync(fileURLToPath(file), 'utf8')
    for (const [, name = ''] of source.matchAll(
      /^(?:import|export) (?:[^'\n]* from )?'([^']+)'/gm,
    )) {
      if (name.startsWith('.')) visit(new URL(name, file))
      else packages.add(name)
    }
  }
  for (const entry of entries) visit(new URL(entry, import.meta.url))
  return packages
}
