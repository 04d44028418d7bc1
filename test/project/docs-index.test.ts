import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const DOCS = fileURLToPath(new URL('../../../docs', import.meta.url))

describe('docs/README.md', () => {
  const page = readFileSync(join(DOCS, 'README.md'), 'utf8')
  const links = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link)

  it('links to every page once', () => {
    const pages = readdirSync(DOCS).filter((name) => name.endsWith('.md') && name !== 'README.md')
    const linked = links.filter((link) => !link.includes('/'))
    expect([...linked].sort()).to.deep.equal([...pages].sort())
  })

  it('links to files that exist', () => {
    expect(links.filter((link) => !existsSync(join(DOCS, link)))).to.deep.equal([])
  })
})
