import { contentAction } from '../../../access/actions.ts'
import { mayIn } from '../../../access/permissions.ts'
import type { Uid } from '../../../schema/definition.ts'
import { NO_LOCALE } from '../../../schema/no-locale.ts'
import type { Context } from '../../state.ts'

export function mayFindIn({ state: { principal } }: Context, defaultLocale: string) {
  return (uid: Uid, locale: string): boolean => {
    const code = locale === NO_LOCALE ? defaultLocale : locale
    return mayIn(principal, contentAction({ uid }, 'find'), [code])
  }
}
