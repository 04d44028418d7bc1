import { expect } from 'chai'
import type { Library, Principal } from './library.ts'
import { outcome } from './outcome.ts'

/**
 * A request in one line, `custom GET /articles?populate=tags → tags.name`: the principal (default:
 * root), the method and the path below `/api`, and the compared part of the response (default: its
 * status). The expected outcome comes last, after the body if there is one. A pattern matches the
 * line of a failure.
 */
export type Row =
  | readonly [request: string, expected: unknown]
  | readonly [request: string, body: unknown, expected: unknown]

const REQUEST = /^(?:(root|public|readonly|custom|user|invalid) )?([A-Z]+) (\S.*?)(?: → (\S+))?$/

/** One test per row. Rows that write use their own documents. */
export function testTable(
  library: () => Library,
  rows: readonly Row[],
  headers: object = {},
): void {
  for (const row of rows) {
    const [request] = row
    const expected = row.at(-1)
    const body = row.length === 3 ? row[1] : undefined
    it(`responds as expected to ${body === undefined ? request : `${request} ${JSON.stringify(body)}`.slice(0, 160)}`, async () => {
      const [, who = 'root', method = '', target = '', shown] = REQUEST.exec(request) ?? []
      const answer = await library().as(who as Principal, method, `/api${target}`, body, headers)
      const found =
        shown === undefined && answer.status < 400 ? answer.status : outcome(answer, shown ?? '')
      if (expected instanceof RegExp) expect(found).to.match(expected)
      else expect(found, answer.text).to.deep.equal(expected)
    })
  }
}
