import type { IncomingMessage } from 'node:http'
import { ServiceUnavailableError } from '../../errors.ts'
import type { Middleware } from '../state.ts'

export interface LimitInFlight {
  /** Puts what is to be counted in the limit. */
  (work: Middleware): Middleware
  /** Waits for something other than the database: the request is not counted meanwhile. */
  aside<T>(request: IncomingMessage, wait: () => Promise<T>): Promise<T>
}

/** The body of any other request is not read: an endless one must not keep its request out of the count. */
const WITH_BODY: ReadonlySet<string | undefined> = new Set(['POST', 'PUT'])

/**
 * Lets `limit` requests work at a time: when the database has become slow, more of them are answered at once,
 * and not put into a queue that grows. Waiting for a client is no work: a request whose body is still to
 * come does not count, nor one whose answer is being read.
 * @throws ServiceUnavailableError beyond the limit.
 */
export function limitInFlight(limit: number): LimitInFlight {
  const admitted = new Set<IncomingMessage>()
  const isAtWork = ({ complete, method }: IncomingMessage): boolean =>
    complete || !WITH_BODY.has(method)
  const isFull = (): boolean =>
    admitted.size >= limit && [...admitted].filter(isAtWork).length >= limit
  const limited =
    (work: Middleware): Middleware =>
    async (ctx, next) => {
      if (isFull()) {
        throw new ServiceUnavailableError('Too many requests at a time', {}, { code: 'overloaded' })
      }
      admitted.add(ctx.req)
      try {
        await work(ctx, next)
      } finally {
        admitted.delete(ctx.req)
      }
    }
  const aside: LimitInFlight['aside'] = async (request, wait) => {
    const wasAdmitted = admitted.delete(request)
    try {
      return await wait()
    } finally {
      if (wasAdmitted) admitted.add(request)
    }
  }
  return Object.assign(limited, { aside })
}
