import { contentAction } from '../../../people/access/actions.ts'
import { mayIn } from '../../../people/access/permissions.ts'
import type { Uid } from '../../../schema/definition.ts'
import { NO_LOCALE } from '../../../schema/no-locale.ts'
import type { Context } from '../../router/state.ts'

export function mayFindIn({ state: { principal } }: Context, defaultLocale: string) {
  return (uid: Uid, locale: string): boolean => {
    const code = locale === NO_LOCALE ? defaultLocale : locale
    return mayIn(principal, contentAction({ uid }, 'find'), [code])
  }
}
