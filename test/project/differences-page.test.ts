import { readFileSync } from 'node:fs'
import { expect } from 'chai'

interface Deviation {
  readonly difference: number
}

const read = (path: string): string =>
  readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

describe('docs/differences.md', () => {
  const page = read('docs/differences.md')

  it('mentions each deviation once, in the section with its number', () => {
    const deviations = JSON.parse(read('test/conformance/deviations.json')) as Readonly<
      Record<string, Deviation>
    >
    expect(Object.keys(deviations)).to.not.deep.equal([])
    for (const [name, { difference }] of Object.entries(deviations)) {
      const sections = page.split(/^## /m).filter((section) => section.includes(`\`${name}\``))
      const numbers = sections.map((section) => Number.parseInt(section))
      expect(numbers, name).to.deep.equal([difference])
    }
  })

  it('links to decisions that exist', () => {
    const links = [...page.matchAll(/\]\((decisions\/[^)]+)\)/g)].map(([, link = '']) => link)
    for (const link of links) expect(read(`docs/${link}`), link).to.match(/^# \d{4}/)
  })
})
