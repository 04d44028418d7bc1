import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const PACKAGE = fileURLToPath(new URL('../../../packages/client/', import.meta.url))
const require = createRequire(import.meta.url)

interface Manifest {
  readonly files: readonly string[]
  readonly exports: Readonly<Record<string, { readonly types: string; readonly default: string }>>
}

/** Older versions of Metro and `moduleResolution: node` ignore `exports` in package.json. */
describe('@quire/client for resolvers that ignore package exports', () => {
  const manifest = JSON.parse(readFileSync(path.join(PACKAGE, 'package.json'), 'utf8')) as Manifest

  it('resolves the path that the store imports from @quire/merge', () => {
    const file = require.resolve(path.join(PACKAGE, '../merge/apply-operation'))
    expect(file).to.equal(path.join(PACKAGE, '../merge/dist/src/apply-operation.js'))
  })

  for (const [name, exported] of Object.entries(manifest.exports)) {
    it(`resolves ${name} to the same module and types`, () => {
      const folder = path.join(PACKAGE, name)
      // Node applies `exports` to names of packages only, so a path resolves by `main`.
      expect(require.resolve(folder)).to.equal(path.join(PACKAGE, exported.default))
      const file = path.join(folder, 'package.json')
      const { types } = JSON.parse(readFileSync(file, 'utf8')) as { readonly types: string }
      expect(path.join(folder, types)).to.equal(path.join(PACKAGE, exported.types))
      expect(existsSync(path.join(folder, types))).to.equal(true)
      if (name !== '.') expect(manifest.files).to.include(path.normalize(name))
    })
  }
})
