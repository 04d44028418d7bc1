import type Koa from 'koa'
import type { Principal } from '../access/principal.ts'
import type { AnswerSize } from '../query/answer-size.ts'

/** What our middleware hands on; typed here, and nowhere else. */
export interface RequestState {
  principal: Principal
  requestId: string
  /** Of an answer that shows entries. */
  answer?: AnswerSize
}

export type Context = Koa.ParameterizedContext<RequestState>
export type Middleware = Koa.Middleware<RequestState>
