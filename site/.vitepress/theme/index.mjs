// Without the fonts of the default theme: those of the system are as legible, and nothing is loaded for them.
import theme from 'vitepress/theme-without-fonts';
import './style.css';

export default theme;
