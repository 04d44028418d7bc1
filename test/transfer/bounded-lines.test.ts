import { Readable } from 'node:stream'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { ApplicationError } from '../../src/base/errors.ts'
import { boundedLines, boundedText } from '../../src/transfer/bounded-lines.ts'

const linesOf = async (chunks: readonly Buffer[], most?: number): Promise<readonly string[]> => {
  const lines: string[] = []
  for await (const line of boundedLines(Readable.from(chunks), 'x.jsonl', most)) lines.push(line)
  return lines
}

const failure = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
  } catch (error) {
    expect(error).to.be.instanceOf(ApplicationError)
    return (error as Error).message
  }
  return 'none'
}

describe('boundedLines', () => {
  it('returns the lines of a text for any chunks', async () => {
    const texts = fc.array(fc.constantFrom('a', 'é', '\u{1F600}', '\n', '\r\n', 'bc', ' '))
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 5 }), async (parts, length) => {
        const text = parts.join('')
        const bytes = Buffer.from(text)
        const chunks = Array.from({ length: Math.ceil(bytes.length / length) }, (_, n) =>
          bytes.subarray(n * length, (n + 1) * length),
        )
        const expected = text.split(/\r?\n/)
        if (expected.at(-1) === '') expected.pop()
        expect(await linesOf(chunks)).to.deep.equal(expected)
      }),
    )
  })

  it('limits the length of a line, even of an endless one', async () => {
    let read = 0
    const endless = function* (): Generator<Buffer> {
      yield Buffer.from('{}\n')
      for (;;) {
        read += 1
        yield Buffer.alloc(100, 'x')
      }
    }
    const lines = async (): Promise<void> => {
      for await (const line of boundedLines(Readable.from(endless()), 'x.jsonl', 1_000)) {
        expect(line).to.equal('{}')
      }
    }
    expect(await failure(lines())).to.equal('x.jsonl:2: a line has more than 1000 characters')
    expect(read).to.be.below(100)
    expect(await linesOf([Buffer.alloc(1_000, 'x')], 1_000)).to.have.lengthOf(1)
  })

  it('refuses invalid UTF-8 instead of replacing it', async () => {
    const [latin, cut] = [Buffer.from('{"name":"caf\xe9"}\n', 'latin1'), Buffer.from([0x61, 0xc3])]
    const first = Buffer.from('{}\n')
    expect(await failure(linesOf([latin]))).to.equal('x.jsonl: what line 1 begins is not UTF-8')
    expect(await failure(linesOf([first, latin]))).to.equal(
      'x.jsonl: what line 2 begins is not UTF-8',
    )
    expect(await failure(linesOf([cut]))).to.equal('x.jsonl: what line 1 begins is not UTF-8')
    expect(await failure(boundedText(Readable.from([latin]), 'x.json', 100))).to.equal(
      'x.json is not UTF-8',
    )
  })

  it('skips a byte order mark', async () => {
    expect(await linesOf([Buffer.from('\ufeff{}\n')])).to.deep.equal(['{}'])
  })

  it('names an unreadable file', async () => {
    const broken = Readable.from(
      (function* (): Generator<Buffer> {
        yield Buffer.from('a')
        throw new Error('it ends early')
      })(),
    )
    expect(await failure(boundedText(broken, 'x.json', 10))).to.equal(
      'x.json cannot be read: it ends early',
    )
    const large = Readable.from([Buffer.alloc(11)])
    expect(await failure(boundedText(large, 'x.json', 10))).to.equal(
      'x.json has more than 10 bytes',
    )
  })
})
