package inquiries

import (
	"context"
	"errors"
	"io"

	"github.com/seed-3405227d/frontdesk/backend/chat"
	"github.com/seed-3405227d/frontdesk/backend/chat/file"
	"github.com/seed-3405227d/frontdesk/backend/limit"
	"github.com/seed-3405227d/frontdesk/backend/open/frame"
	"github.com/seed-3405227d/frontdesk/backend/operator"
	"github.com/seed-3405227d/frontdesk/backend/operator/token"
)

type fileInput struct {
	frame.ThingInput
	File int64 `path:"file" minimum:"1" doc:"The number of the file, as the message has it."`
}

type sendFileInput struct {
	frame.ThingInput
	OperatorID int64  `query:"operator_id" minimum:"1" required:"true" doc:"The operator in whose name it is sent."`
	Name       string `query:"name" maxLength:"200" doc:"The file's name. It gets the ending of its type, if it has none."`
	IsNote     bool   `query:"is_note" doc:"It is for operators, and the visitor does not see it."`
	RawBody    []byte `doc:"The content."`
}

func (r *room) mountFiles() {
	frame.Write(r.Frame, frame.Operation{
		Method: "GET", Path: "sites/{site}/chats/{id}/files/{file}", ID: "getFile", Subject: "Chats", Opens: token.ReadChats, Mistakes: chatMistakes, Files: file.Types,
		Summary: "Get a file", Description: "The content of a file that was sent in a conversation. A visitor may have sent anything: look through it before you open it.",
	}, func(ctx context.Context, in *fileInput) (*frame.Written, error) {
		s, err := r.Site(ctx, in.Site)
		if err != nil {
			return nil, err
		}
		of, err := r.Chats.File(ctx, s.ID, in.ID, in.File, chat.Operator)
		return &frame.Written{Name: of.Name, Type: of.Type, Size: len(of.Content), Write: func(_ context.Context, w io.Writer) error {
			_, err := w.Write(of.Content)
			return err
		}}, err
	})
	frame.Add(r.Frame, frame.Operation{
		Method: "POST", Path: "sites/{site}/chats/{id}/files", ID: "sendFile", Subject: "Chats", Opens: token.WriteChats, Mistakes: chatMistakes, Dear: true, MaxBody: file.Max + 1,
		Summary:     "Send a file",
		Description: "The body is the content: a picture, a PDF, a ZIP, an MP3, an MP4 or a plain text of at most 5 MB. What it is, its content tells. The visitor reads it as an answer of the operator.",
	}, func(ctx context.Context, in *sendFileInput) (*sayOutput, error) {
		s, err := r.Site(ctx, in.Site)
		if err == nil {
			err = r.within(ctx, s.ID, limit.Disk, int64(len(in.RawBody)))
		}
		if err != nil {
			return nil, err
		}
		said, err := r.sayInName(ctx, in.ThingInput, in.OperatorID, in.IsNote, "body", chat.Message{File: &file.File{Name: in.Name, Content: in.RawBody}})
		if err == nil {
			r.Limits.Add(s.ID, limit.Disk, int64(len(in.RawBody))+limit.RowSize)
		}
		return said, err
	})
}

// sayInName says something in the name of the operator. where is what of the call is wrong if it cannot be said.
func (r *room) sayInName(ctx context.Context, in frame.ThingInput, operatorID int64, isNote bool, where string, said chat.Message) (*sayOutput, error) {
	out := new(sayOutput)
	_, err := r.inName(ctx, in, operatorID, func(siteID int64, o operator.Operator) error {
		said.Author, said.OperatorID = chat.Operator, o.ID
		if isNote {
			said.Author = chat.Note
		}
		stored, err := r.Chats.Say(ctx, siteID, in.ID, said)
		if invalid, is := errors.AsType[chat.Invalid](err); is {
			return frame.Wrong(where, invalid, nil)
		}
		out.Body = messageOf(stored)
		return err
	})
	return out, err
}
