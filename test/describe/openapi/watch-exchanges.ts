import { ALL_GRANTS } from '../../../src/people/access/principal.ts'
import { type ApiFacts, describeApi } from '../../../src/describe/openapi/describe-api.ts'
import { type Exchange, openChecker } from './check-exchange.ts'

/** Checks every exchange of a server against its own API description. */
export interface ExchangeWatch {
  observe(exchange: Exchange): Promise<void>
  /** Contradictions, one per line. */
  faults(): readonly string[]
}

/** `facts` is read again when locales change, because descriptions name them. */
export function watchExchanges(facts: () => Promise<ApiFacts>): ExchangeWatch {
  let checker: ReturnType<typeof openChecker> | null = null
  const faults: string[] = []
  return {
    observe: async (exchange) => {
      if (exchange.target.startsWith('/admin/locales')) checker = null
      if (!/^\/api\//i.test(exchange.target)) return
      checker ??= openChecker(describeApi(await facts(), ALL_GRANTS))
      const verdict = checker(exchange)
      if (verdict.kind === 'outside') return
      const { method, target, status } = exchange
      for (const problem of verdict.problems) {
        faults.push(`${method} ${target} ${status} (${verdict.operationId}): ${problem}`)
      }
    },
    faults: () => faults,
  }
}
