import type Koa from 'koa'
import type { Principal } from '../../people/access/principal.ts'
import type { AnswerSize } from '../../query/answer-size.ts'
import type { BadRequestReason } from './bad-request-reason.ts'

export interface RequestState {
  principal: Principal
  /**
   * Resolves the credential and checks the guard of the route again. Long requests call it before each batch. Absent
   * on routes without authentication. @throws UnauthorizedError, ForbiddenError
   */
  authorizeAgain?: () => Promise<void>
  requestId: string
  /** The missing permission of a rejected request. */
  missingAction?: string
  badRequest?: BadRequestReason
  answer?: AnswerSize
  /** The duration of a long poll. Excluded from measurements of the server. */
  waitedMs?: number
}

export type Context = Koa.ParameterizedContext<RequestState>
export type Middleware = Koa.Middleware<RequestState>
