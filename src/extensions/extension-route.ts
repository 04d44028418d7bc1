import type { Readable } from 'node:stream'
import type { ContentService, ExtensionPrincipal } from './content-service.ts'

export interface ExtensionRouteOptions {
  /** An action, such as `api::health.read`, or `public` for everyone. */
  readonly permission: string
  /** With a schema, the route joins the OpenAPI description. */
  readonly schema?: ExtensionRouteSchema
  /**
   * With `raw`, `requestBody` is a Buffer with the received bytes, of any content type: for
   * signatures over the bytes. The default is `parsed`: JSON and forms are parsed.
   */
  readonly body?: 'parsed' | 'raw'
}

/** JSON Schemas. Requests that do not match `query` and `body` are refused with 400. */
export interface ExtensionRouteSchema {
  readonly summary?: string
  /** An object with the parameters. Texts are converted to the types of the schema. */
  readonly query?: object
  readonly body?: object
  /** Describes the response. It is not checked. */
  readonly response?: object
}

export interface ExtensionRequest {
  readonly method: string
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly principal: ExtensionPrincipal
  readonly content: ContentService
  /** Aborted at the deadline, and when the client closes the connection. */
  readonly signal: AbortSignal
  /** The parsed JSON or form, undefined without a body. With the option `body: 'raw'`, a Buffer. */
  readonly requestBody: unknown
  /** The default is 200, or 204 without a body. */
  status: number
  /** An object is sent as JSON. A text, bytes and a stream are sent unchanged. */
  body: object | string | Uint8Array | Readable | null | undefined
  set(header: string, value: string): void
}

export type ExtensionRouteHandler = (ctx: ExtensionRequest) => void | Promise<void>

type AddExtensionRoute = (
  path: string,
  options: ExtensionRouteOptions,
  handler: ExtensionRouteHandler,
) => void

export type ExtensionRouteMethod = 'get' | 'post' | 'put' | 'patch' | 'delete'

/** Paths begin with `/api/` or with `/admin/extensions/<name of the extension>/`. */
export type ExtensionRouter = Readonly<Record<ExtensionRouteMethod, AddExtensionRoute>>
