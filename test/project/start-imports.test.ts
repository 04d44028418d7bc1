import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

/** What takes memory from every server, and is needed by some: loaded by `await import` where it is. */
const LOADED_WHEN_NEEDED = [
  /^sharp$/,
  /^nodemailer$/,
  /^@aws-sdk\//,
  /^(lmdb|bson|@quire\/engine)$/,
  /^mongodb-memory-server-core/,
]

describe('the start of the server', () => {
  it('loads no package that only some installations or requests need', () => {
    const loaded = packagesOf(new URL('../../src/main.js', import.meta.url))
    expect(loaded).to.include('koa').and.to.include('mongodb')
    const early = [...loaded].filter((name) => LOADED_WHEN_NEEDED.some((one) => one.test(name)))
    expect(early).to.deep.equal([])
  })
})

/** What compiled modules import when they are loaded, from one on; types are gone from them. */
function packagesOf(entry: URL): ReadonlySet<string> {
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
  visit(entry)
  return packages
}
