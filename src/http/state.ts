import type Koa from 'koa'
import type { Principal } from '../access/principal.ts'

/** What our middleware hands on; typed here, and nowhere else. */
export interface RequestState {
  principal: Principal
  requestId: string
}

export type Context = Koa.ParameterizedContext<RequestState>
export type Middleware = Koa.Middleware<RequestState>
