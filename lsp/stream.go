package lsp

// This file defines the transport: LSP's header framing over a byte stream, which outlives
// what a confused client sends. A body that is no JSON-RPC message is answered with an error,
// bytes that are no header are skipped up to the next header.

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"strconv"

	"go.lsp.dev/jsonrpc2"
)

// maxMessage bounds the bytes of one message, and so the memory that a client can ask for.
const maxMessage = 256 << 20

// tolerantStream is the jsonrpc2 header stream with another way of reading. It embeds the
// interface, not the type, so that the connection finds no other way around Read.
type tolerantStream struct {
	jsonrpc2.Stream
	in   *bufio.Reader
	body bytes.Buffer
	log  *slog.Logger
}

func newTolerantStream(rw io.ReadWriteCloser, log *slog.Logger) *tolerantStream {
	return &tolerantStream{Stream: jsonrpc2.NewHeaderStream(rw), in: bufio.NewReader(rw), log: log}
}

// Read returns the next message. It fails only if the connection does.
func (s *tolerantStream) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		length, err := s.readHeader()
		if err != nil {
			return nil, 0, err
		}
		if length > maxMessage {
			s.log.Warn("a message is too large and was skipped", "bytes", length)
			if _, err := io.CopyN(io.Discard, s.in, length); err != nil {
				return nil, 0, endsInside(err)
			}
			continue
		}
		// The buffer grows with what arrives, not with what the header promised.
		s.body.Reset()
		if _, err := io.CopyN(&s.body, s.in, length); err != nil {
			return nil, 0, endsInside(err)
		}
		message, err := jsonrpc2.DecodeMessage(s.body.Bytes())
		if err == nil {
			return message, length, nil
		}
		s.log.Warn("a message is not JSON-RPC", "error", err)
		if err := s.refuse(ctx, err); err != nil {
			return nil, 0, err
		}
	}
}

// Close leaves what is queued to be sent; Serve closes the connection behind it.
func (s *tolerantStream) Close() error { return nil }

// refuse answers a message whose id can't be known.
func (s *tolerantStream) refuse(ctx context.Context, err error) error {
	var wire *jsonrpc2.Error
	if !errors.As(err, &wire) {
		wire = jsonrpc2.NewError(jsonrpc2.ParseError, err.Error())
	}
	_, err = s.Write(ctx, jsonrpc2.NewResponse(jsonrpc2.ID{}, nil, wire))
	return err
}

// readHeader returns the length that the next header declares. Whatever stands before a
// header that declares one is skipped, because there is no other place to start again.
func (s *tolerantStream) readHeader() (int64, error) {
	length := int64(-1)
	for first := true; ; first = false {
		line, err := s.in.ReadSlice('\n')
		switch {
		case err == io.EOF && (!first || len(line) > 0):
			return 0, io.ErrUnexpectedEOF
		case err != nil && err != bufio.ErrBufferFull:
			return 0, err
		}
		if n, ok := contentLength(line); ok {
			length = n
		}
		if len(bytes.TrimSpace(line)) == 0 && length >= 0 {
			return length, nil
		}
	}
}

// contentLength finds the field in a line. It may follow bytes that are no header, since the
// body of a message does not end with a line end.
func contentLength(line []byte) (int64, bool) {
	const name = "content-length:"
	at := bytes.LastIndex(bytes.ToLower(line), []byte(name))
	if at < 0 {
		return 0, false
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(line[at+len(name):])), 10, 64)
	return n, err == nil && n >= 0
}

func endsInside(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
