import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readPage, ROOT } from '../../test/support/pages.ts'
import { drawWings } from './draw-wings.ts'
import { layersOf, readWings, withoutShortcuts } from './wings.ts'

describe('drawWings', () => {
  const graph = new Map([
    ['app', new Set(['web', 'store', 'base'])],
    ['web', new Set(['store'])],
    ['store', new Set(['base'])],
    ['base', new Set<string>()],
  ])

  it('draws the picture of docs/architecture.md: run node dist/scripts/draw-architecture.js', async () => {
    const picture = readFileSync(join(ROOT, 'docs/architecture.svg'), 'utf8')
    expect(drawWings(await readWings(join(ROOT, 'src')))).to.equal(picture)
  })

  it('places a wing above all wings that it imports', () => {
    expect([...layersOf(graph)]).to.have.deep.members([
      ['base', 0],
      ['store', 1],
      ['web', 2],
      ['app', 3],
    ])
  })

  it('omits imports that follow from other imports', () => {
    const left = [...withoutShortcuts(graph)].map(([wing, targets]) => [wing, [...targets]])
    expect(left).to.deep.equal([
      ['app', ['web']],
      ['web', ['store']],
      ['store', ['base']],
      ['base', []],
    ])
  })
})

describe('docs/architecture.md', () => {
  it('names files that exist', () => {
    const names = [
      ...readPage('docs/architecture.md').matchAll(/`([a-z][\w-]*(?:\/[\w-]+)+\.ts)`/g),
    ]
    expect(names.length).to.be.above(30)
    const missing = names.filter(([, name = '']) => !existsSync(join(ROOT, 'src', name)))
    expect(missing.map(([, name]) => name)).to.deep.equal([])
  })
})
