import { existsSync, readdirSync, readFileSync } from 'node:fs'
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

  it('resolves the paths that the store imports from @quire/merge', () => {
    const sources = path.join(PACKAGE, 'dist/src/sync')
    const whole = readdirSync(sources)
      .filter((name) => name.endsWith('.js'))
      .map((name) => readFileSync(path.join(sources, name), 'utf8'))
      .join('\n')
    const names = [...whole.matchAll(/^import .* from '@quire\/merge\/([^']+)'/gm)]
    expect(names.length).to.be.above(0)
    const merge = path.join(PACKAGE, '../merge')
    const { files } = JSON.parse(readFileSync(path.join(merge, 'package.json'), 'utf8')) as Manifest
    for (const [, name = ''] of names) {
      expect(require.resolve(path.join(merge, name))).to.equal(
        path.join(merge, `dist/src/${name}.js`),
      )
      expect(files).to.include(name)
    }
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
