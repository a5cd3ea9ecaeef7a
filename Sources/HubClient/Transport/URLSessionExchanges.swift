#if !os(Linux) || DEBUG
  import Foundation
  import DaybookLocks

  #if canImport(FoundationNetworking)
    import FoundationNetworking
  #endif
  #if canImport(Security)
    import Security
  #endif

  /// The delegate of a session: passes on what it is told to the exchange that it is about.
  final class URLSessionExchanges: NSObject, URLSessionDataDelegate, Sendable {
    private let running = Mutex<[Int: URLSessionExchange]>([:])
    private let certificates: TrustedCertificates?

    init(trusting certificates: TrustedCertificates?) { self.certificates = certificates }

    func add(_ exchange: URLSessionExchange) {
      running.withLock { $0[exchange.identifier] = exchange }
    }

    private func exchange(_ task: URLSessionTask) -> URLSessionExchange? {
      running.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
      totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
      exchange(task)?.sent(totalBytesSent)
    }

    func urlSession(
      _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
      completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
      exchange(dataTask)?.begin(response)
      completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
      exchange(dataTask)?.take(data)
    }

    func urlSession(
      _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
      running.withLock { $0.removeValue(forKey: task.taskIdentifier) }?
        .end(task.response, error)
    }

    // The redirection itself is the answer.
    func urlSession(
      _ session: URLSession, task: URLSessionTask,
      willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
      completionHandler: @escaping (URLRequest?) -> Void
    ) {
      #if canImport(FoundationNetworking)
        // Foundation on Linux traps if this is called for a task that was cancelled meanwhile.
        guard exchange(task)?.isRedirected() == true else { return }
      #endif
      completionHandler(nil)
    }

    #if canImport(Security)
      func urlSession(
        _ session: URLSession, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
      ) {
        guard
          challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodServerTrust,
          let certificates, let trust = challenge.protectionSpace.serverTrust
        else { return completionHandler(.performDefaultHandling, nil) }
        let anchors = certificates.encoded.compactMap {
          SecCertificateCreateWithData(nil, $0 as CFData)
        }
        // Anchors of one's own replace those of the system unless they are asked for.
        SecTrustSetAnchorCertificates(trust, anchors as CFArray)
        SecTrustSetAnchorCertificatesOnly(trust, false)
        if SecTrustEvaluateWithError(trust, nil) {
          completionHandler(.useCredential, URLCredential(trust: trust))
        } else {
          completionHandler(.performDefaultHandling, nil)
        }
      }
    #endif
  }
#endif
