/** A message as the service tells it. */
export interface Message {
  /** Its number in the conversation; 0 while the service does not have it. */
  seq: number;
  from: 'visitor' | 'operator' | 'service';
  /** Made by who wrote it; of the visitor's messages alone. */
  id?: string;
  /** The operator's name. */
  operator?: string;
  /** The name of the operator's face, of those who have one. */
  face?: string;
  /** The word of a message of the service. */
  code?: string;
  text: string;
  /** `picture` says that a browser may show it. */
  file?: { id: number; name: string; type: string; size: number; picture?: boolean };
  /** Milliseconds since 1970. */
  at: number;
}

export interface Conversation {
  id: number;
  state: 'waiting' | 'open' | 'closed';
  operator: string;
  /** The numbers up to which operators have read, and the visitor. */
  read: number;
  seen: number;
  banned: boolean;
}

/** What is new: the answer of v1/chat, and the data of the stream's events. */
export interface News {
  online?: boolean;
  /** When somebody will be there, in milliseconds since 1970, where that is known; 0 where it is not. */
  opens?: number;
  /** Opens the stream, and the addresses of files, for some minutes. */
  stream?: string;
  conversation?: Conversation;
  messages?: Message[];
  more?: boolean;
  earlier?: boolean;
  typing?: boolean;
  /** The node of the stream does not hear what happens. */
  late?: boolean;
  /** The stream's next word comes within so many seconds. */
  within?: number;
  /** What the visitor has said of the conversation, which is closed. */
  rating?: { good: boolean; line: string };
  /** The conversation can be sent by mail once an operator has answered. */
  mail?: boolean;
}
