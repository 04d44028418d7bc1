import type { Logger } from 'pino'
import type { ExtensionLog } from '../../extensions/extension-log.ts'

export function extensionLog(log: Logger, extension: string): ExtensionLog {
  const child = log.child({ extension })
  const writer =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (fieldsOrMessage: object | string, message?: string): void => {
      if (typeof fieldsOrMessage === 'string') child[level](fieldsOrMessage)
      else child[level](fieldsOrMessage, message)
    }
  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
  }
}
