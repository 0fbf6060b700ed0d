import { type CSSVariablesResolver, createTheme, Modal, Switch } from '@mantine/core';

const system = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
const mono = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";

export const theme = createTheme({
  primaryColor: 'indigo',
  // Mantine's own shade 6 has a contrast of 3.6 to 1 below the white text of a button
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  fontFamily: system,
  fontFamilyMonospace: mono,
  fontSizes: { xs: '12px', sm: '14px', md: '14px', lg: '16px', xl: '20px' },
  headings: { fontFamily: system, fontWeight: '600' },
  defaultRadius: '6px',
  respectReducedMotion: true,
  cursorType: 'pointer',
  components: {
    // 24 pixels high, as a target must be
    Switch: Switch.extend({ defaultProps: { size: 'md' } }),
    // what may be left empty says so
    InputWrapper: { defaultProps: { withAsterisk: false } },
    Modal: Modal.extend({
      defaultProps: { closeButtonProps: { 'aria-label': 'Close' }, transitionProps: { duration: 0 } },
    }),
  },
});

/** Of both schemes, since Mantine sets its own ones for each. */
const shared = {
  '--mantine-color-body': 'var(--cl-page)',
  '--mantine-color-text': 'var(--cl-text)',
  '--mantine-color-bright': 'var(--cl-text)',
  '--mantine-color-default': 'var(--cl-surface)',
  '--mantine-color-default-color': 'var(--cl-text)',
  '--mantine-color-default-hover': 'var(--cl-idle-tint)',
  '--mantine-color-default-border': 'var(--cl-line)',
  '--mantine-color-error': 'var(--cl-bad-text)',
  // of a button that deletes
  '--mantine-color-red-light-color': 'var(--cl-bad-text)',
  '--mantine-color-red-light-hover': 'var(--cl-bad-tint)',
};

/** Mantine's own values of these have too little contrast. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    ...shared,
    '--mantine-color-dimmed': '#5c636a',
    '--mantine-color-placeholder': '#6b7280',
    '--mantine-color-anchor': '#364fc7',
  },
  dark: {
    ...shared,
    '--mantine-color-dimmed': '#a6adb4',
    '--mantine-color-placeholder': '#98a0a8',
    '--mantine-color-anchor': '#91a7ff',
  },
});
