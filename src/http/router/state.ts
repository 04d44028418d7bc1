import type Koa from 'koa'
import type { Principal } from '../../people/access/principal.ts'
import type { AnswerSize } from '../../query/answer-size.ts'
import type { BadRequestReason } from './bad-request-reason.ts'

export interface RequestState {
  principal: Principal
  /** Absent on routes without authentication. @throws UnauthorizedError, ForbiddenError */
  authorizeAgain?: () => Promise<void>
  requestId: string
  missingAction?: string
  badRequest?: BadRequestReason
  answer?: AnswerSize
  waitedMs?: number
}

export type Context = Koa.ParameterizedContext<RequestState>
export type Middleware = Koa.Middleware<RequestState>
