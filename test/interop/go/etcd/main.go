// Carries out one line after the other on etcd, by etcd's own Go packages: test/interop/etcd starts it. Each line is a JSON object with an
// id, and is answered by one with the same id. A line does not wait for the one before it: a call that waits blocks no other.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
	recipe "go.etcd.io/etcd/client/v3/experimental/recipes"
	"golang.org/x/sys/unix"
)

type line struct {
	ID        int    `json:"id"`
	Do        string `json:"do"`
	Session   string `json:"session"`
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Value     string `json:"value"`
	TTL       int    `json:"ttl"`
	TimeoutMs int    `json:"timeoutMs"`
	File      string `json:"file"`
	Goal      int    `json:"goal"`
	ForMs     int    `json:"forMs"`
	AfterUs   int    `json:"afterUs"`
}

type answer struct {
	ID    int    `json:"id"`
	Ready bool   `json:"ready,omitempty"`
	Value any    `json:"value,omitempty"`
	Error string `json:"error,omitempty"`
}

// What one session has of one name: a lease has one key in a line.
type held struct {
	mutex    *concurrency.Mutex
	rw       *recipe.RWMutex
	election *concurrency.Election
}

type program struct {
	client   *clientv3.Client
	output   sync.Mutex
	lock     sync.Mutex
	sessions map[string]*concurrency.Session
	held     map[string]*held
}

func main() {
	client, err := clientv3.New(clientv3.Config{
		Endpoints:   strings.Split(os.Args[1], ","),
		DialTimeout: 5 * time.Second,
	})
	if err != nil {
		panic(err)
	}
	p := &program{client: client, sessions: map[string]*concurrency.Session{}, held: map[string]*held{}}
	p.tell(answer{Ready: true})
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var asked line
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			panic(err)
		}
		go func() {
			value, err := p.carryOut(asked)
			told := answer{ID: asked.ID, Value: value}
			if err != nil {
				told.Error = err.Error()
			}
			p.tell(told)
		}()
	}
}

func (p *program) tell(told answer) {
	text, err := json.Marshal(told)
	if err != nil {
		panic(err)
	}
	p.output.Lock()
	defer p.output.Unlock()
	fmt.Println(string(text))
}

func (p *program) carryOut(asked line) (any, error) {
	ctx := context.Background()
	if asked.TimeoutMs > 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(asked.TimeoutMs)*time.Millisecond)
		defer cancel()
		ctx = limited
	}
	switch asked.Do {
	case "open":
		session, err := concurrency.NewSession(p.client, concurrency.WithTTL(asked.TTL))
		if err != nil {
			return nil, err
		}
		p.lock.Lock()
		p.sessions[asked.Session] = session
		p.lock.Unlock()
		return fmt.Sprintf("%x", session.Lease()), nil
	case "done":
		<-p.session(asked).Done()
		return true, nil
	case "pairs":
		return p.pairs(ctx, asked)
	case "increment":
		return nil, p.increment(ctx, asked)
	case "close":
		return nil, p.session(asked).Close()
	}
	return p.use(ctx, asked, p.thing(asked))
}

func (p *program) session(asked line) *concurrency.Session {
	p.lock.Lock()
	defer p.lock.Unlock()
	return p.sessions[asked.Session]
}

func (p *program) thing(asked line) *held {
	session := p.session(asked)
	p.lock.Lock()
	defer p.lock.Unlock()
	id := asked.Session + " " + asked.Name
	if p.held[id] == nil {
		p.held[id] = &held{
			mutex:    concurrency.NewMutex(session, asked.Name),
			rw:       recipe.NewRWMutex(session, asked.Name),
			election: concurrency.NewElection(session, asked.Name),
		}
	}
	return p.held[id]
}

func (p *program) use(ctx context.Context, asked line, it *held) (any, error) {
	switch asked.Do {
	case "lock":
		err := it.mutex.Lock(ctx)
		return asked.revision(it, err)
	case "tryLock":
		err := it.mutex.TryLock(ctx)
		if errors.Is(err, concurrency.ErrLocked) {
			return false, nil
		}
		return true, err
	case "unlock":
		return nil, it.mutex.Unlock(ctx)
	case "enter":
		err := it.mutex.Lock(ctx)
		return monotonicUs(), err
	case "leave":
		return leave(ctx, asked, it)
	case "isOwner":
		answered, err := p.client.Txn(ctx).If(it.mutex.IsOwner()).Commit()
		if err != nil {
			return nil, err
		}
		return answered.Succeeded, nil
	case "readLock":
		return nil, it.rw.RLock()
	case "readUnlock":
		return nil, it.rw.RUnlock()
	case "writeLock":
		return nil, it.rw.Lock()
	case "writeUnlock":
		return nil, it.rw.Unlock()
	case "campaign":
		return nil, it.election.Campaign(ctx, asked.Value)
	case "proclaim":
		return nil, it.election.Proclaim(ctx, asked.Value)
	case "resign":
		return nil, it.election.Resign(ctx)
	case "leader":
		answered, err := it.election.Leader(ctx)
		if err != nil {
			return nil, err
		}
		return string(answered.Kvs[0].Value), nil
	}
	return nil, errors.New("unknown: " + asked.Do)
}

// The revision of the answer that proved ownership, as a text: JSON numbers of JavaScript end at 2^53.
func (asked line) revision(it *held, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return strconv.FormatInt(it.mutex.Header().Revision, 10), nil
}

// Releases the mutex after a while, and answers when. The answer comes later: its reader would wake in the very moment that is measured.
func leave(ctx context.Context, asked line, it *held) (any, error) {
	time.Sleep(time.Duration(asked.AfterUs) * time.Microsecond)
	since := monotonicUs()
	err := it.mutex.Unlock(ctx)
	time.Sleep(5 * time.Millisecond)
	return since, err
}

// Microseconds on a clock that all processes of this machine share.
func monotonicUs() float64 {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		panic(err)
	}
	return float64(now.Nano()) / 1e3
}

// How often the mutex was taken within so long, by a caller that wants it again as soon as it has given it back.
func (p *program) pairs(ctx context.Context, asked line) (any, error) {
	mutex := p.thing(asked).mutex
	end := time.Now().Add(time.Duration(asked.ForMs) * time.Millisecond)
	for taken := 0; ; taken++ {
		if err := mutex.Lock(ctx); err != nil {
			return nil, err
		}
		over := time.Now().After(end)
		if err := mutex.Unlock(ctx); err != nil {
			return nil, err
		}
		if over {
			return taken, nil
		}
	}
}

// Increments the last line of a file under one lock until it has reached the goal.
func (p *program) increment(ctx context.Context, asked line) error {
	it := p.thing(asked)
	for reached := 0; reached < asked.Goal; {
		acquire := func() error { return it.mutex.Lock(ctx) }
		release := func() error { return it.mutex.Unlock(ctx) }
		if asked.Kind == "writeLock" {
			acquire, release = it.rw.Lock, it.rw.Unlock
		}
		if err := acquire(); err != nil {
			return err
		}
		value, err := section(asked, it)
		if err != nil {
			return err
		}
		reached = value
		if err := release(); err != nil {
			return err
		}
	}
	return nil
}

func section(asked line, it *held) (int, error) {
	text, err := os.ReadFile(asked.File)
	if err != nil {
		return 0, err
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	value := 0
	if last := lines[len(lines)-1]; last != "" {
		if value, err = strconv.Atoi(strings.Fields(last)[0]); err != nil {
			return 0, err
		}
	}
	if value >= asked.Goal {
		return value, nil
	}
	file, err := os.OpenFile(asked.File, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	fence := ""
	if asked.Kind == "lock" {
		fence = strconv.FormatInt(it.mutex.Header().Revision, 10)
	}
	_, err = fmt.Fprintf(file, "%d go %s\n", value+1, fence)
	return value, err
}
