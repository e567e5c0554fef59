package wire

// platform are the engines that only this system has.
var platform = []string{"epoll"}

func newPlatform(_ string, o Options) Engine { return newEpoll(o) }
