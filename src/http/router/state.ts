import type Koa from 'koa'
import type { Principal } from '../../people/access/principal.ts'
import type { AnswerSize } from '../../query/answer-size.ts'
import type { SignedAddresses } from '../../query/query.ts'
import type { BadRequestReason } from './bad-request-reason.ts'

export interface RequestAddresses extends SignedAddresses {
  /** Whether an address was signed: such a response is private and never cached. */
  readonly isUsed: boolean
}

export interface RequestState {
  principal: Principal
  /** Absent on routes without authentication. @throws UnauthorizedError, ForbiddenError */
  authorizeAgain?: () => Promise<void>
  requestId: string
  missingAction?: string
  badRequest?: BadRequestReason
  answer?: AnswerSize
  /** Absent if the server does not sign. */
  addresses?: RequestAddresses
  waitedMs?: number
  /** The time that the reads of this request must not precede. */
  after?: string
  /** True if another process may have done the work of this write. */
  isReplayed?: boolean
}

export type Context = Koa.ParameterizedContext<RequestState>
export type Middleware = Koa.Middleware<RequestState>
