import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { ROOT } from '../src/host/bundle.ts'
import { KNOWN_FAULTS } from '../src/known-faults.ts'

describe('the known faults', () => {
  for (const [name, { mutation }] of Object.entries(KNOWN_FAULTS)) {
    it(`${name} replaces text that its file has once`, () => {
      const code = readFileSync(path.join(ROOT, mutation.file), 'utf8')
      expect(code.split(mutation.from)).to.have.length(2)
    })
  }
})
