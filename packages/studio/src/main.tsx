import '@fontsource-variable/inter/wght.css'
import './design/tokens.css'
import './design/global.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { applyBranding } from './design/branding.ts'
import { applyRememberedTheme } from './design/theme.ts'
import { Studio } from './shell/studio.tsx'

const element = document.querySelector('#studio')
if (element === null) throw new Error('The page has no place for the Studio')
applyBranding()
applyRememberedTheme()
createRoot(element).render(
  <StrictMode>
    <Studio />
  </StrictMode>,
)
