import { expect } from 'chai'
import type { Library, Principal } from './library.ts'
import { outcome } from './outcome.ts'

/**
 * A request in one line, `custom GET /articles?populate=tags → tags.name`: who asks (root unless
 * said), below `/api`, and what of the answer counts (its status unless said); then what comes of
 * it, after the body for a request that has one. A pattern matches the line of a failure.
 */
export type Row =
  | readonly [request: string, expected: unknown]
  | readonly [request: string, body: unknown, expected: unknown]

const REQUEST = /^(?:(root|public|readonly|custom|user|invalid) )?([A-Z]+) (\S.*?)(?: → (\S+))?$/

/** One test for each row; rows that write use documents of their own. */
export function testTable(
  library: () => Library,
  rows: readonly Row[],
  headers: object = {},
): void {
  for (const row of rows) {
    const [request] = row
    const expected = row.at(-1)
    const body = row.length === 3 ? row[1] : undefined
    it(
      body === undefined ? request : `${request} ${JSON.stringify(body)}`.slice(0, 160),
      async () => {
        const [, who = 'root', method = '', target = '', shown] = REQUEST.exec(request) ?? []
        const answer = await library().as(who as Principal, method, `/api${target}`, body, headers)
        const found =
          shown === undefined && answer.status < 400 ? answer.status : outcome(answer, shown ?? '')
        if (expected instanceof RegExp) expect(found).to.match(expected)
        else expect(found, answer.text).to.deep.equal(expected)
      },
    )
  }
}
