import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'

const FOLDER = fileURLToPath(new URL('../../../docs/decisions', import.meta.url))
const read = (name: string): string => readFileSync(path.join(FOLDER, name), 'utf8')

describe('docs/decisions', () => {
  const names = readdirSync(FOLDER).filter((name) => name !== 'README.md')

  it('have a unique number, a uniform head and a status', () => {
    const numbers = names.map((name) => name.slice(0, 4))
    expect(new Set(numbers).size).to.equal(numbers.length)
    for (const name of names) {
      const head = new RegExp(String.raw`^# ${name.slice(0, 4)}\. \S.*\n\nStatus: accepted[;.]`)
      expect(read(name), name).to.match(head)
      for (const section of ['Context', 'Decision']) {
        if (name.startsWith('0008')) continue // a table of libraries
        expect(read(name), name).to.include(`\n## ${section}`)
      }
    }
  })

  it('link to decisions that exist', () => {
    for (const name of names) {
      for (const [, link = ''] of read(name).matchAll(/\]\((\d{4}-[^)#]+)\)/g)) {
        expect(names, name).to.include(link)
      }
    }
  })

  it('explain each number that is missing', () => {
    const numbers = names.map((name) => Number(name.slice(0, 4)))
    const all = Array.from({ length: Math.max(...numbers) }, (_, index) => index + 1)
    const missing = all.filter((number) => !numbers.includes(number))
    const [, list = ''] =
      /^Numbers of drafts that never became decisions: (.*)\.$/m.exec(read('README.md')) ?? []
    expect(list.split(', ').map(Number)).to.deep.equal(missing)
  })
})
