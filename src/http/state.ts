import type Koa from 'koa'
import type { Principal } from '../access/principal.ts'
import type { AnswerSize } from '../query/answer-size.ts'
import type { BadRequestReason } from './bad-request-reason.ts'

/** What our middleware hands on; typed here, and nowhere else. */
export interface RequestState {
  principal: Principal
  /**
   * Resolves the credential again and checks the guard of the route again. Requests that take long call it before each
   * further piece of work. Absent on routes without authentication. @throws UnauthorizedError, ForbiddenError
   */
  authorizeAgain?: () => Promise<void>
  requestId: string
  /** The action that the principal may not do, where the request was refused for it. */
  missingAction?: string
  /** Of an answer with status 400. */
  badRequest?: BadRequestReason
  /** Of an answer that shows entries. */
  answer?: AnswerSize
  /** How long it waited for a change, as its client had asked for: no measure of the server. */
  waitedMs?: number
}

export type Context = Koa.ParameterizedContext<RequestState>
export type Middleware = Koa.Middleware<RequestState>
