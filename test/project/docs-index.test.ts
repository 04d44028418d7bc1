import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect } from 'chai'
import { anchorsOf, PAGES, readPage, ROOT } from '../support/pages.ts'

const DOCS = join(ROOT, 'docs')

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

describe('the pages of the documentation', () => {
  it('link to files and headings that exist', () => {
    const broken = PAGES.flatMap((page) =>
      linksOf(page)
        .filter((link) => !leadsSomewhere(page, link))
        .map((link) => `${page}: ${link}`),
    )
    expect(broken).to.deep.equal([])
  })
})

describe('README.md', () => {
  const page = readPage('README.md')

  it('has at most 600 words', () => {
    expect(page.split(/\s+/).length).to.be.at.most(600)
  })

  it('shows figures of docs/performance.md', () => {
    const proof = readPage('docs/performance.md')
    const rows = [...page.matchAll(/^\| [^|]+ \| ([^|]+) \| \[performance\]/gm)]
    expect(rows).to.have.lengthOf(4)
    const figures = rows.flatMap(
      ([, text = '']) => text.match(/\d[\d,.]*(?: (?:%|ms|kB|MB))?/g) ?? [],
    )
    expect(figures.filter((figure) => !proof.includes(figure))).to.deep.equal([])
  })

  it('counts the differences from Strapi', () => {
    const [, count] = /(\d+) numbered differences/.exec(page) ?? []
    const headings = readPage('docs/differences.md').match(/^## \d+\. /gm)
    expect(headings).to.have.lengthOf(Number(count))
  })
})

/** Links to files of the repository. */
function linksOf(page: string): readonly string[] {
  const prose = readPage(page).replaceAll(/^```.*?^```$|`[^`\n]*`/gms, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
}

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#')
  const target = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(ROOT, target))) return false
  return anchor === undefined || anchorsOf(target).has(anchor)
}
