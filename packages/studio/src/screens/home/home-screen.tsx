import { useSession } from '../../api/session.ts'
import { Page } from '../../design/page.tsx'
import { useTexts } from '../../texts/texts.ts'

export function HomeScreen() {
  const { t } = useTexts()
  const { administrator } = useSession()
  return (
    <Page title={t('home.hello', { name: administrator.name })} narrow>
      {null}
    </Page>
  )
}
