import type { StartChat } from '../panels/shell';

export const start: StartChat = () => ({ open() {}, toggled() {}, draft: () => '', changed() {}, end() {} });
